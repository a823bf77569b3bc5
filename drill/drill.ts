import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import { connectDatabase, type Db } from "../server/src/db/database.ts";
import { migrate } from "../server/src/db/migrate.ts";
import { TEST_MASTER_KEY } from "../server/testing/app/test-settings.ts";
import type { PostgresNode } from "../server/testing/database/postgres-node.ts";
import { forkNode } from "../server/testing/processes/fork-node.ts";
import { runScripAlone } from "../server/testing/processes/run-scrip.ts";
import { type ArchivedPostgres, startArchivedPostgres } from "./archived-postgres.ts";
import { fillShop, listOrderIds, readAgain, startCallers, type Told } from "./shop.ts";

export type DrillOptions = {
  seconds: number;
  /** Whether codes that were sold since are set aside. Without it the drill must find codes that are sold twice. */
  reconciles: boolean;
  say: (line: string) => void;
};

export type DrillResult = {
  toldBefore: number;
  toldAfter: number;
  /** Told before the restore point, and not there afterwards. */
  lost: string[];
  restoreMs: number;
  setAside: number;
  soldAfterwards: number;
  /** Codes that two callers got for different orders. */
  soldTwice: string[];
  auditIsClean: boolean;
};

const PASSABLE_DIRECTORY = 0o711;
const CALLERS = 8;
const CODES_PER_SECOND = 150;
const CODES_LEFT = 200;

type Stage = { postgres: ArchivedPostgres; key: string; atEnd: (close: () => Promise<unknown>) => void };

/** Load, a base backup, more load, a disaster, a restore to a time before it, and what an operator does then. */
export async function runDrill({ seconds, reconciles, say }: DrillOptions): Promise<DrillResult> {
  const closers: (() => Promise<unknown>)[] = [];
  const atEnd: Stage["atEnd"] = (close) => void closers.push(close);
  const home = await mkdtemp(join(tmpdir(), "scrip-drill-"));
  atEnd(() => rm(home, { recursive: true, force: true }));
  // The account of PostgreSQL must be able to reach the archive.
  await chmod(home, PASSABLE_DIRECTORY);
  try {
    say("starting PostgreSQL with a log archive");
    const postgres = await startArchivedPostgres(home, atEnd);
    const db = connect(postgres.primary, atEnd);
    await migrate(db);
    const key = await fillShop(db, Math.ceil(seconds * CODES_PER_SECOND) + CODES_LEFT);
    const stage = { postgres, key, atEnd };
    const { told, target } = await sellUntilDisaster(stage, db, seconds, say);
    return await recover(stage, { told, target, reconciles, say });
  } finally {
    for (const close of closers.reverse()) await close().catch(() => {});
  }
}

async function sellUntilDisaster(
  { postgres, key }: Stage,
  db: Db,
  seconds: number,
  say: DrillOptions["say"],
): Promise<{ told: Told[]; target: Date }> {
  const server = await forkNode("server", { connectionString: postgres.primary.url });
  const callers = startCallers({ port: server.port, key, callers: CALLERS, name: "before" });
  await wait((seconds * 1_000) / 4);
  say(`base backup, after ${callers.told.length} orders`);
  await postgres.backUp();
  await wait((seconds * 1_000) / 4);
  const [row] = await db.rows<{ now: Date }>(sql`select clock_timestamp() as now`);
  const target = row?.now ?? new Date();
  say(`restore point ${target.toISOString()}, after ${callers.told.length} orders`);
  await wait((seconds * 1_000) / 4);
  await postgres.archiveNow();
  await wait((seconds * 1_000) / 4);
  say(`disaster, after ${callers.told.length} orders: every process is killed`);
  await Promise.all([server.kill(), postgres.primary.kill()]);
  await callers.stop();
  return { told: callers.told, target };
}

type Recovery = { told: readonly Told[]; target: Date; reconciles: boolean; say: DrillOptions["say"] };

async function recover(
  { postgres, key, atEnd }: Stage,
  { told, target, reconciles, say }: Recovery,
): Promise<DrillResult> {
  const beganMs = performance.now();
  const [restored, lost] = [await postgres.restoreTo(target), await postgres.restoreToTheEnd()];
  const db = connect(restored, atEnd);
  await untilWritable(db);
  const restoreMs = performance.now() - beganMs;
  say(`restored in ${(restoreMs / 1_000).toFixed(1)} s, with the lost database beside it`);
  const there = await listOrderIds(db);
  const env = { DATABASE_URL: restored.url, SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64") };
  let setAside = 0;
  if (reconciles) {
    const args = [
      "stock",
      "reconcile-restore",
      "--since",
      target.toISOString(),
      "--lost",
      lost.url,
      "--json",
    ];
    const { code, stdout, stderr } = await runScripAlone(args, env);
    if (code !== 0) throw new Error(`scrip stock reconcile-restore exited with ${code}: ${stderr}`);
    const result = JSON.parse(stdout) as { setAside: { count: number }[] };
    setAside = result.setAside.reduce((sum, { count }) => sum + count, 0);
    say(`set aside ${setAside} codes that were sold after the restore point`);
  }
  const server = await forkNode("server", { connectionString: restored.url });
  atEnd(server.stop);
  const callers = startCallers({ port: server.port, key, callers: CALLERS, name: "after" });
  await callers.soldOut;
  say(`sold the rest of the stock: ${callers.told.length} orders`);
  const kept = told.filter(({ id }) => there.has(id));
  const again: Told[] = [];
  for (const order of kept)
    again.push({ ...order, codes: await readAgain({ port: server.port, key }, order.id) });
  const audited = await runScripAlone(["audit"], env);
  return {
    toldBefore: told.filter(({ atMs }) => atMs < target.getTime()).length,
    toldAfter: told.filter(({ atMs }) => atMs >= target.getTime()).length,
    lost: told.filter(({ id, atMs }) => atMs < target.getTime() && !there.has(id)).map(({ id }) => id),
    restoreMs,
    setAside,
    soldAfterwards: callers.told.length,
    soldTwice: findSoldTwice([...told, ...again, ...callers.told]),
    auditIsClean: audited.code === 0,
  };
}

/** One order may be told with its code before and after the restore. Two orders never share a code. */
function findSoldTwice(told: readonly Told[]): string[] {
  const owners = new Map<string, string>();
  const twice = new Set<string>();
  for (const { id, codes } of told)
    for (const code of codes) {
      const owner = owners.get(code) ?? id;
      owners.set(code, owner);
      if (owner !== id) twice.add(`${owner} and ${id} have the same code`);
    }
  return [...twice];
}

function connect(node: PostgresNode, atEnd: Stage["atEnd"]): Db {
  const db = connectDatabase({
    connectionString: node.url,
    applicationName: "scrip drill",
    poolSize: 2,
    statementTimeoutMs: 0,
    onConnectionLost: () => {},
  });
  atEnd(db.close);
  return db;
}

const PROMOTED_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 100;

/** A server that has reached its target accepts reads first, and writes after its promotion. */
async function untilWritable(db: Db): Promise<void> {
  for (const deadlineMs = performance.now() + PROMOTED_WITHIN_MS; ; ) {
    const rows = await db
      .rows<{ standby: boolean }>(sql`select pg_is_in_recovery() as standby`)
      .catch(() => [{ standby: true }]);
    if (rows[0]?.standby === false) return;
    if (performance.now() > deadlineMs) throw new Error("the restored server was not promoted");
    await wait(LOOK_EVERY_MS);
  }
}
