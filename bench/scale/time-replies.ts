import { Agent, request } from "node:http";
import type { Row } from "../report.ts";

const agent = new Agent({ keepAlive: true });
const TIMEOUT_MS = 120_000;
const ROUNDS = 3;
const VISITS = Number(process.env.BENCH_VISITS ?? 60);
/** Within a quarter of the empty database. */
export const RATIO_MAX = 1.25;

/** One place to read from: its address, and headers that let a caller or a person in. */
export type Source = {
  url: string;
  headers: Readonly<Record<string, string>>;
  of: (path: string) => string;
  /** Processor time of the server and of PostgreSQL until now. */
  cpuMs: () => Promise<number>;
};

type Figures = { latencyMs: number; cpuMs: number };

/**
 * Each path at both places, one request at a time and in turn, so that noise affects both alike. Waiting depends on who else uses the
 * machine, so the verdict is by processor time.
 */
export async function compareReplies(
  paths: readonly string[],
  sources: Record<"few" | "many", Source>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const path of paths) {
    const first = await timeReply(sources.many, path);
    await timeReply(sources.few, path);
    const times: Record<"few" | "many", number[]> = { few: [], many: [] };
    const cpu = { few: 0, many: 0 };
    for (let round = 0; round < ROUNDS; round += 1)
      for (const side of round % 2 === 0 ? (["few", "many"] as const) : (["many", "few"] as const)) {
        const before = await sources[side].cpuMs();
        for (let visit = 0; visit < VISITS; visit += 1)
          times[side].push(await timeReply(sources[side], path));
        cpu[side] += (await sources[side].cpuMs()) - before;
      }
    const of = (side: "few" | "many"): Figures => ({
      latencyMs: lowerQuartile(times[side]),
      cpuMs: cpu[side] / (ROUNDS * VISITS),
    });
    const row = compared(`\`${path}\``, of("few"), of("many"));
    console.log(`${row.what}: ${row.measured} (first ${first.toFixed(0)} ms)`);
    rows.push(row);
  }
  return rows;
}

const compared = (what: string, few: Figures, many: Figures): Row => {
  const ratio = many.cpuMs / few.cpuMs;
  return {
    what,
    measured: `${few.cpuMs.toFixed(1)} and ${many.cpuMs.toFixed(1)} ms, ${ratio.toFixed(2)}×; replies ${few.latencyMs.toFixed(1)} and ${many.latencyMs.toFixed(1)} ms`,
    goal: `≤ ${RATIO_MAX}×`,
    met: ratio <= RATIO_MAX,
  };
};

const lowerQuartile = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] ?? Number.NaN;

const timeReply = ({ url, headers, of }: Source, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const sent = request(url + of(path), { agent, headers, timeout: TIMEOUT_MS });
    sent.on("error", reject);
    sent.on("timeout", () => sent.destroy(new Error(`${path} took longer than ${TIMEOUT_MS} ms`)));
    sent.on("response", (reply) => {
      reply.resume();
      reply.on("end", () => {
        if (reply.statusCode === 200) resolve(performance.now() - startedAt);
        else reject(new Error(`${path} answered ${reply.statusCode}`));
      });
    });
    sent.end();
  });
