import sql from "sql-template-tag";
import { checkServer } from "./check-server.ts";
import type { Db } from "./database.ts";
import { listPendingMigrations } from "./migrate.ts";

/** What an operator asks first about the database. */
export type DatabaseFacts = {
  version: string;
  /** Settings that would lose acknowledged orders. */
  risks: readonly string[];
  sizeBytes: number;
  connections: number;
  connectionsMax: number;
  /** Servers that follow this one. */
  standbys: number;
  /** How far our clock is from the database's. */
  driftMs: number;
  migrations: { applied: number; newest: string; pending: readonly string[] };
};

type Row = {
  size: string;
  connections: number;
  connectionsMax: number;
  standbys: number;
  applied: number;
  newest: string | null;
  now: Date;
};

export async function readDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  const [{ version, risks }, pending] = await Promise.all([checkServer(db), listPendingMigrations(db)]);
  const before = Date.now();
  const [row] = await db.rows<Row>(sql`
    select pg_database_size(current_database())::text as size,
           (select count(*) from pg_stat_activity where datname = current_database())::integer as connections,
           current_setting('max_connections')::integer as "connectionsMax",
           (select count(*) from pg_stat_replication)::integer as standbys,
           (select count(*) from schema_migrations where name <> 'guards.sql')::integer as applied,
           (select max(name) from schema_migrations where name <> 'guards.sql') as newest,
           clock_timestamp() as now`);
  const middle = (before + Date.now()) / 2;
  return {
    version,
    risks,
    sizeBytes: Number(row?.size ?? 0),
    connections: row?.connections ?? 0,
    connectionsMax: row?.connectionsMax ?? 0,
    standbys: row?.standbys ?? 0,
    driftMs: Math.round(Math.abs((row?.now.getTime() ?? middle) - middle)),
    migrations: { applied: row?.applied ?? 0, newest: row?.newest ?? "none", pending },
  };
}
