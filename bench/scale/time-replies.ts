import { Agent, request } from "node:http";
import type { Row } from "../report.ts";

const agent = new Agent({ keepAlive: true });
const TIMEOUT_MS = 120_000;
const VISITS = Number(process.env.BENCH_VISITS ?? 31);
/** Issue: within 1.25 of the empty database. */
export const RATIO_MAX = 1.25;

/** One place to read from: its address, and headers that let a caller or a person in. */
export type Source = { url: string; headers: Readonly<Record<string, string>>; of: (path: string) => string };

/** Each path at both places, one request at a time and in turn, so that noise affects both alike. Lower quartiles. */
export async function compareReplies(
  paths: readonly string[],
  few: Source,
  many: Source,
  name: (path: string) => string = (path) => `\`${path}\``,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const path of paths) {
    const times: { few: number[]; many: number[] } = { few: [], many: [] };
    const first = await timeReply(many, path);
    for (let visit = 0; visit < VISITS; visit += 1) {
      times.few.push(await timeReply(few, path));
      times.many.push(await timeReply(many, path));
    }
    const [fewMs, manyMs] = [lowerQuartile(times.few), lowerQuartile(times.many)];
    const row = compared(name(path), fewMs, manyMs);
    console.log(`${row.what}: ${row.measured} (first ${first.toFixed(0)} ms)`);
    rows.push(row);
  }
  return rows;
}

export const compared = (what: string, fewMs: number, manyMs: number): Row => ({
  what,
  measured: `${fewMs.toFixed(1)} and ${manyMs.toFixed(1)} ms, ${(manyMs / fewMs).toFixed(2)}×`,
  goal: `≤ ${RATIO_MAX}×`,
  met: manyMs / fewMs <= RATIO_MAX,
});

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
