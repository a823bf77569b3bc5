import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TEST_MASTER_KEY } from "../server/testing/app/test-settings.ts";
import { type RunningScrip, startScrip } from "../server/testing/processes/run-scrip.ts";
import type { Api } from "./callers.ts";

/** Scrip as an operator starts it: two API processes and a worker. */
export type ScripProcesses = {
  apis: readonly Api[];
  /** Processes that ended without having been asked to. */
  findEnded(): string[];
  stop(): Promise<void>;
  /** At once, when the run was cut short. */
  kill(): void;
};

const APIS = 2;
const WORKERS = 1;
/** Nothing is left behind by a run that hangs. */
const PROCESS_MAX_MS = 3_600_000;
const STOP_WITHIN_MS = 20_000;

export const scripEnvironment = (databaseUrl: string, folder: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  DATA_DIR: join(folder, "scrip"),
  SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64"),
  RATE_LIMIT_ORDERS: "0",
  RATE_LIMIT_READS: "0",
  LOG_LEVEL: "warn",
});

export async function startScripProcesses(
  databaseUrlOf: (index: number) => string,
  folder: string,
  prefix: string,
): Promise<ScripProcesses> {
  const running: { name: string; scrip: RunningScrip }[] = [];
  const start = async (role: string, index: number) => {
    const scrip = await startScrip(
      ["--role", role],
      scripEnvironment(databaseUrlOf(index), folder),
      PROCESS_MAX_MS,
    );
    running.push({ name: `${prefix}-${role}-${index + 1}`, scrip });
    return scrip;
  };
  const apis: Api[] = [];
  for (let index = 0; index < APIS; index += 1) {
    const { url } = await start("api", index);
    apis.push({ name: `api ${index + 1}`, port: Number(new URL(url).port), acksMs: [] });
  }
  for (let index = 0; index < WORKERS; index += 1) await start("worker", index);
  return {
    apis,
    findEnded: () =>
      running
        .filter(({ scrip }) => scrip.process.exitCode !== null)
        .map(({ name }) => `${name} ended by itself`),
    kill() {
      for (const { scrip } of running) scrip.process.kill("SIGKILL");
    },
    async stop() {
      await Promise.all(running.map(({ name, scrip }) => stopOne(name, scrip, folder)));
    },
  };
}

async function stopOne(name: string, scrip: RunningScrip, folder: string): Promise<void> {
  const impatient = setTimeout(() => scrip.process.kill("SIGKILL"), STOP_WITHIN_MS);
  const { stdout, stderr } = await scrip.stop("SIGTERM");
  clearTimeout(impatient);
  await writeFile(join(folder, `${name}.log`), `${stdout}${stderr}`);
}
