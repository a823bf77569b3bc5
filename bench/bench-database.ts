import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectDatabase, type Db } from "../server/src/db/database.ts";
import { openEmbedded } from "../server/src/db/embedded/open-embedded.ts";

export type BenchDatabase = { db: Db; dataDir: string; connectionString: string };

/**
 * Runs a benchmark on an embedded PostgreSQL of its own and leaves nothing behind. It has its default settings, unless a benchmark
 * that measures no writes fills it faster with others. A folder that is given stays.
 */
export async function onBenchDatabase(
  run: (database: BenchDatabase) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
  keptDir?: string,
): Promise<void> {
  const dataDir = keptDir ?? mkdtempSync(join(tmpdir(), "scrip-bench-"));
  mkdirSync(dataDir, { recursive: true });
  const embedded = await openEmbedded({ dataDir, log: () => {}, settings });
  const { connectionString } = embedded;
  const db = connectDatabase({
    connectionString,
    applicationName: "scrip bench",
    poolSize: 8,
    statementTimeoutMs: 0,
    onConnectionLost: () => {},
  });
  try {
    await run({ db, dataDir, connectionString });
  } finally {
    await db.close();
    await embedded.close();
    if (!keptDir) rmSync(dataDir, { recursive: true, force: true });
  }
}
