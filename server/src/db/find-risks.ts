import sql from "sql-template-tag";
import type { Db } from "./database.ts";

type Setting = { name: string; value: string; source: string };

/** Why a setting must not have one of these values. */
type Risk = { name: string; values: readonly string[]; consequence: string; remedy: string };

const PER_SESSION = "reset it for the role and the database, in postgresql.conf and in PGOPTIONS";
const PER_SERVER = "turn it on in postgresql.conf";

const RISKS: readonly Risk[] = [
  {
    name: "synchronous_commit",
    values: ["off"],
    consequence: "a crash loses acknowledged orders",
    remedy: PER_SESSION,
  },
  {
    name: "synchronous_commit",
    values: ["local", "remote_write"],
    consequence: "a failover loses acknowledged orders, because no standby has them on disk",
    remedy: PER_SESSION,
  },
  {
    name: "fsync",
    values: ["off"],
    consequence: "a power cut loses acknowledged orders, or the whole database",
    remedy: PER_SERVER,
  },
  {
    name: "full_page_writes",
    values: ["off"],
    consequence: "a power cut can leave half-written pages",
    remedy: PER_SERVER,
  },
  {
    name: "client_min_messages",
    values: ["error", "fatal", "panic"],
    consequence: "the warning that a commit did not wait for its standby is not sent",
    remedy: PER_SESSION,
  },
  {
    name: "session_replication_role",
    values: ["replica", "local"],
    consequence: "the triggers that guard orders and the ledger do not run",
    remedy: PER_SESSION,
  },
];

/**
 * Settings that can lose acknowledged orders, as set by the server, the database, the role and PGOPTIONS. What our
 * own sessions set does not hide them.
 */
export async function findRisks(db: Db): Promise<string[]> {
  const names = [...new Set(RISKS.map(({ name }) => name))];
  const settings = await db.rows<Setting>(sql`
    select name, reset_val as value, source from pg_settings where name = any(${names}) order by name`);
  return settings.flatMap(({ name, value, source }) =>
    RISKS.filter((risk) => risk.name === name && risk.values.includes(value)).map(
      ({ consequence, remedy }) => `${name} is ${value}${placeOf(source)}: ${consequence}; ${remedy}`,
    ),
  );
}

const PLACES: Readonly<Record<string, string>> = {
  client: " (PGOPTIONS or the options of DATABASE_URL)",
  user: " (set for the role)",
  "database user": " (set for the role in this database)",
  database: " (set for the database)",
};

const placeOf = (source: string): string => PLACES[source] ?? "";
