import sql from "sql-template-tag";
import { type Db, errorCodeOf, isDatabaseUnavailable } from "./database.ts";
import { isRefusedLogin } from "./hosts.ts";

const OLDEST_VERSION = 150_000;

/** Refuses a database that cannot be reached, or that is too old, in one line that says so. */
export async function checkServer(db: Db): Promise<{ version: string; fsync: boolean }> {
  const [row] = await readSettings(db);
  if (!row) throw new Error("the database did not tell its version");
  if (Number(row.number) < OLDEST_VERSION) {
    throw new Error(`the database is PostgreSQL ${row.version}; Scrip needs 15 or newer`);
  }
  return { version: row.version, fsync: row.fsync === "on" };
}

async function readSettings(db: Db): Promise<{ version: string; number: string; fsync: string }[]> {
  try {
    return await db.rows(sql`
      select current_setting('server_version') as version, current_setting('server_version_num') as number,
             current_setting('fsync') as fsync`);
  } catch (error) {
    const code = errorCodeOf(error);
    if (!isDatabaseUnavailable(error) && !isRefusedLogin(code)) throw error;
    const reason = error instanceof Error && error.message !== "" ? error.message : code;
    throw new Error(`the database of DATABASE_URL cannot be reached: ${reason}`, { cause: error });
  }
}
