import sql from "sql-template-tag";
import { checkServer } from "../db/check-server.ts";
import type { Db } from "../db/database.ts";
import { listPendingMigrations } from "../db/migrate.ts";

/** A warning is OK: the service works, but the operator should do something. */
export type Check = { name: string; ok: boolean; warning?: true; detail: string };

export type Examination = {
  /** A summary of the settings without secrets. */
  settings: () => Promise<string>;
  openDatabase: () => Promise<{ db: Db; close(): Promise<void> }>;
  /** Fails if a pooler between here and the database does not keep sessions. */
  checkPooler: () => Promise<void>;
  /** Fails if the master key is not the one the database was set up with. */
  openSecrets: (db: Db) => Promise<void>;
};

/** Checks everything that a start needs and reports whether each item is OK. */
export async function examine(examination: Examination): Promise<{ ok: boolean; checks: Check[] }> {
  const checks: Check[] = [await check("configuration", examination.settings)];
  const database = checks[0]?.ok ? await attempt(examination.openDatabase) : undefined;
  if (database && "error" in database) checks.push({ name: "database", ok: false, detail: database.error });
  if (database && "value" in database) {
    const { db, close } = database.value;
    checks.push(await check("database", () => describeServer(db)));
    if (checks.at(-1)?.ok) {
      checks.push(await checkUpdates(db));
      checks.push(await check("durability", () => describeDurability(db)));
      checks.push(await check("sessions", () => describeSessions(examination, db)));
      checks.push(await check("migrations", () => describeMigrations(db)));
      checks.push(await check("master key", () => describeSecrets(examination, db)));
      checks.push(await check("clock", () => describeClock(db)));
      checks.push(await check("partitions", () => describePartitions(db)));
    }
    await close();
  }
  return { ok: checks.every((one) => one.ok), checks };
}

async function check(name: string, look: () => Promise<string>): Promise<Check> {
  const result = await attempt(look);
  return "error" in result
    ? { name, ok: false, detail: result.error }
    : { name, ok: true, detail: result.value };
}

async function attempt<T>(work: () => Promise<T>): Promise<{ value: T } | { error: string }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

const describeServer = async (db: Db): Promise<string> => `PostgreSQL ${(await checkServer(db)).version}`;

async function checkUpdates(db: Db): Promise<Check> {
  const { outdated } = await checkServer(db);
  const name = "updates";
  if (outdated) return { name, ok: true, warning: true, detail: outdated };
  return { name, ok: true, detail: "no newer minor of the server was known when this was released" };
}

/** A row in a default partition means that no process created its partition in time. */
async function describePartitions(db: Db): Promise<string> {
  if ((await listPendingMigrations(db)).length > 0) return "not checked before the migrations are applied";
  const [row] = await db.rows<{ found: boolean }>(sql`
    select exists (select from delivery_attempts_default) as found`);
  if (row?.found)
    throw new Error(
      "delivery_attempts_default has rows: no worker has created partitions in time; start one",
    );
  return "every row has the partition of its time";
}

async function describeDurability(db: Db): Promise<string> {
  const { risks } = await checkServer(db);
  if (risks.length > 0) throw new Error(risks.join("; "));
  return "commits are on disk before they are acknowledged";
}

/** Each connection keeps its own backend, with the parameters set there. */
async function describeSessions(examination: Examination, db: Db): Promise<string> {
  await examination.checkPooler();
  const [row] = await db.rows<{ jit: string }>(sql`select current_setting('jit') as jit`);
  if (row?.jit !== "off") throw new Error("jit is on for our connections: every order would be compiled");
  return "each connection keeps its own session, with jit off";
}

async function describeMigrations(db: Db): Promise<string> {
  const pending = await listPendingMigrations(db);
  if (pending.length > 0) throw new Error(`not applied: ${pending.join(", ")}; run: scrip migrate`);
  return "all applied";
}

async function describeSecrets(examination: Examination, db: Db): Promise<string> {
  await examination.openSecrets(db);
  return "opens sealed values";
}

const CLOCK_DRIFT_MAX_MS = 5_000;

/** Key expiry and signatures use our clock; leases use the database's. They must agree. */
async function describeClock(db: Db): Promise<string> {
  const before = Date.now();
  const [row] = await db.rows<{ now: Date }>(sql`select clock_timestamp() as now`);
  const middle = (before + Date.now()) / 2;
  const driftMs = Math.round(Math.abs((row?.now.getTime() ?? 0) - middle));
  if (driftMs > CLOCK_DRIFT_MAX_MS)
    throw new Error(`the clocks of this machine and the database differ by ${driftMs} ms`);
  return `within ${CLOCK_DRIFT_MAX_MS / 1000} s of the database clock`;
}
