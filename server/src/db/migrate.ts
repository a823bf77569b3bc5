import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import sql, { raw } from "sql-template-tag";
import type { Db, Queryable, Tx } from "./database.ts";
import { errorCodeOf } from "./database-errors.ts";
import { createMissingGuards, ENVIRONMENT_GUARDS } from "./guards.ts";

export type Migration = { name: string; checksum: string; text: string };

const MIGRATION_NAME = /^\d{4}_\w+\.sql$/;
const MIGRATIONS_FOLDER = new URL("../../migrations/", import.meta.url);
/** Any fixed number works, as long as it is the same in every process. */
const MIGRATION_LOCK = 7_242_001;

/** Applies pending migrations, each in its own transaction. Returns the names of those applied. */
export async function migrate(db: Db, patience: MigrationPatience = PATIENCE): Promise<string[]> {
  const migrations = await readMigrations();
  if (await isUpToDate(db, migrations)) return [];
  const applied: string[] = [];
  for (const migration of migrations) {
    const isNew = await applyPatiently(db, migration, patience).catch((error) => {
      throw explain(error, migration);
    });
    if (isNew) applied.push(migration.name);
  }
  await db.transaction(applyGuards).catch((error) => {
    throw explain(error, GUARDS);
  });
  await db.transaction((tx) => refuseUnknown(tx, migrations));
  return applied;
}

/**
 * Whether any version of Scrip has set up this schema. Another schema of the search path can have another program's
 * table.
 */
export async function isMigrated(db: Queryable): Promise<boolean> {
  const [exists] = await db.rows<{ found: boolean }>(
    sql`select to_regclass(quote_ident(current_schema()) || '.schema_migrations') is not null as found`,
  );
  return exists?.found === true;
}

/**
 * Usually there is nothing to do, and two short statements show it. Every command starts here. Any doubt is left to
 * the full check.
 */
async function isUpToDate(db: Db, migrations: readonly Migration[]): Promise<boolean> {
  if (!(await isMigrated(db))) return false;
  const rows = await db.rows<{ name: string; checksum: string }>(
    sql`select name, checksum from schema_migrations`,
  );
  const applied = new Map(rows.map((row) => [row.name, row.checksum]));
  return (
    applied.size === migrations.length + 1 &&
    [...migrations, GUARDS].every(({ name, checksum }) => applied.get(name) === checksum)
  );
}

/** The migrations of this version that the database lacks. */
export async function listPendingMigrations(db: Db): Promise<string[]> {
  const applied = (await isMigrated(db))
    ? await db.rows<{ name: string }>(sql`select name from schema_migrations`)
    : [];
  const names = new Set(applied.map((row) => row.name));
  return [...(await readMigrations()), GUARDS].map(({ name }) => name).filter((name) => !names.has(name));
}

/** The guards in their present form. Unlike a migration they are listed once, and followed whenever the list changes. */
const GUARDS: Migration = toMigration("guards.sql", ENVIRONMENT_GUARDS.join(";\n"));

async function applyGuards(tx: Tx): Promise<void> {
  await tx.rows(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  const [known] = await tx.rows<{ checksum: string }>(
    sql`select checksum from schema_migrations where name = ${GUARDS.name}`,
  );
  if (known?.checksum === GUARDS.checksum) return;
  await createMissingGuards(tx);
  await tx.rows(sql`
    insert into schema_migrations (name, checksum) values (${GUARDS.name}, ${GUARDS.checksum})
    on conflict (name) do update set checksum = excluded.checksum, applied_at = now()`);
}

/** PostgreSQL's code for a missing permission. */
const INSUFFICIENT_PRIVILEGE = "42501";

/** The role of a service may be allowed to use the tables but not to change them. Then another role migrates. */
function explain(error: unknown, { name }: Migration): unknown {
  if (errorCodeOf(error) === LOCK_NOT_AVAILABLE)
    return new Error(
      `migration ${name} could not lock its table: another transaction holds it, such as an audit or a backup; run it again later`,
      { cause: error },
    );
  if (!(error instanceof Error) || errorCodeOf(error) !== INSUFFICIENT_PRIVILEGE) return error;
  return new Error(
    `the role of DATABASE_URL is not allowed to apply migration ${name}: ${error.message}; ` +
      "grant it create on the schema, or run scrip migrate as the owner of the tables",
    { cause: error },
  );
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(MIGRATIONS_FOLDER)).filter((name) => MIGRATION_NAME.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, MIGRATIONS_FOLDER), "utf8");
      return toMigration(name, text);
    }),
  );
}

function toMigration(name: string, text: string): Migration {
  return { name, text, checksum: createHash("sha256").update(text).digest("hex") };
}

export type MigrationPatience = {
  /** How long a migration waits for a table. Whoever wants the table meanwhile waits behind it. */
  lockTimeoutMs: number;
  /** How long it lets others pass before it tries again, and how often. */
  pauseMs: number;
  triesMax: number;
};

const PATIENCE: MigrationPatience = { lockTimeoutMs: 2_000, pauseMs: 3_000, triesMax: 60 };
const LOCK_NOT_AVAILABLE = "55P03";
const DEADLOCK_DETECTED = "40P01";

/** An audit or a backup can hold a table for long. Then the migration lets the others pass, and tries again. */
async function applyPatiently(
  db: Db,
  migration: Migration,
  { lockTimeoutMs, pauseMs, triesMax }: MigrationPatience,
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction((tx) => applyOnce(tx, migration, lockTimeoutMs));
    } catch (error) {
      const isHeldBack = [LOCK_NOT_AVAILABLE, DEADLOCK_DETECTED].includes(errorCodeOf(error));
      if (!isHeldBack || tries === triesMax) throw error;
      await delay(pauseMs);
    }
  }
}

async function applyOnce(tx: Tx, migration: Migration, lockTimeoutMs: number): Promise<boolean> {
  // Processes that start together wait here. The table is read in a statement after the lock, so that it includes
  // what others committed.
  await tx.rows(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  if (!(await isMigrated(tx)))
    await tx.rows(sql`
      create table schema_migrations (
        name text primary key,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`);
  const [known] = await tx.rows<{ checksum: string }>(
    sql`select checksum from schema_migrations where name = ${migration.name}`,
  );
  if (known) {
    if (known.checksum === migration.checksum) return false;
    throw new Error(
      `migration ${migration.name} was changed after it was applied; add a new migration instead`,
    );
  }
  await tx.rows(sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`);
  await tx.rows(raw(migration.text));
  await tx.rows(
    sql`insert into schema_migrations (name, checksum) values (${migration.name}, ${migration.checksum})`,
  );
  return true;
}

/** An older version must not run on a newer schema: it would write what the newer one forbids. */
async function refuseUnknown(tx: Tx, migrations: readonly Migration[]): Promise<void> {
  const names = [...migrations, GUARDS].map((migration) => migration.name);
  const [unknown] = await tx.rows<{ name: string }>(
    sql`select name from schema_migrations where name <> all(${names}) order by name limit 1`,
  );
  if (unknown)
    throw new Error(`the database has migration ${unknown.name}, which this version does not know`);
}
