import sql from "sql-template-tag";
import type { Db } from "./database.ts";

type Setting = { name: string; value: string; source: string };

/** Why each setting must not have this value. */
type Risk = { name: string; values: readonly string[]; consequence: string; remedy: string };

const PER_SESSION = "reset it for the role and the database, in postgresql.conf and in PGOPTIONS";
const PER_SERVER = "switch it on in postgresql.conf";

const RISKS: readonly Risk[] = [
  {
    name: "synchronous_commit",
    values: ["off"],
    consequence: "a crash loses orders that were acknowledged",
    remedy: PER_SESSION,
  },
  {
    name: "synchronous_commit",
    values: ["local", "remote_write"],
    consequence: "a failover loses orders that were acknowledged, because no standby has them on disk",
    remedy: PER_SESSION,
  },
  {
    name: "fsync",
    values: ["off"],
    consequence: "a power cut loses orders that were acknowledged, or the whole database",
    remedy: PER_SERVER,
  },
  {
    name: "full_page_writes",
    values: ["off"],
    consequence: "a power cut can leave pages that are half written",
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
 * The settings under which acknowledged orders can be lost, as the server, the database, the role and PGOPTIONS give
 * them: what our own sessions have set since does not hide them.
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
