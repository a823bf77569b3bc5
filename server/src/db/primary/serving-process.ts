import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { systemClock } from "../../lib/clock.ts";
import { idsOf } from "../../lib/ids.ts";

/** A serving process, as in its row in `processes`. */
export type ServingProcess = { id: string; role: string; host: string; pid: number; version: string };

/**
 * This table in this database, in SQL. Both numbers are new where a dump is restored or a database is copied, so a heartbeat that came
 * along does not count there.
 */
export const PROCESS_HOME =
  "(select oid from pg_database where datname = current_database()) || '/' || 'processes'::regclass::oid";

const PACKAGE_FILE = new URL("../../../package.json", import.meta.url);

/** The version of this program. */
export const scripVersion = (): string => String(JSON.parse(readFileSync(PACKAGE_FILE, "utf8")).version);

/** This process, with an id for this start. */
export const describeProcess = (role: string): ServingProcess => ({
  id: idsOf(systemClock)("prc"),
  role,
  host: hostname(),
  pid: process.pid,
  version: scripVersion(),
});
