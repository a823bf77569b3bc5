import sql from "sql-template-tag";
import type { Db } from "./database.ts";
import { errorCodeOf, isDatabaseUnavailable } from "./database-errors.ts";
import { findOutdated } from "./find-outdated.ts";
import { findRisks } from "./find-risks.ts";
import { isRefusedLogin } from "./hosts.ts";

export type CheckedServer = {
  version: string;
  /** Settings that would lose acknowledged orders, one line each with the fix. Empty on a safe server. */
  risks: string[];
  /** What to do about a server that lacks the fixes of a newer minor. */
  outdated: string | undefined;
};

type Facts = {
  version: string;
  number: string;
  encoding: string;
  readOnly: string;
  isStandby: boolean;
  searchPath: string;
  schema: string | null;
};

const OLDEST_VERSION = 150_000;

/** Refuses an unreachable or unusable database with one line that says why. */
export async function checkServer(db: Db): Promise<CheckedServer> {
  const [facts] = await readFacts(db);
  if (!facts) throw new Error("the database did not report its version");
  const fault = findFault(facts);
  if (fault !== undefined) throw new Error(fault);
  return { version: facts.version, risks: await findRisks(db), outdated: findOutdated(Number(facts.number)) };
}

function findFault(facts: Facts): string | undefined {
  if (Number(facts.number) < OLDEST_VERSION)
    return `the database is PostgreSQL ${facts.version}; Scrip needs 15 or newer`;
  if (facts.encoding !== "UTF8")
    return `the database has the encoding ${facts.encoding}; Scrip needs UTF8: create database … encoding 'UTF8' template template0`;
  if (facts.isStandby)
    return "the host of DATABASE_URL is a read-only standby; use the primary, or list all hosts separated by commas";
  if (facts.readOnly !== "off")
    return "the database is read-only: default_transaction_read_only is on for the server, the database or the role";
  if (facts.schema === null)
    return `no schema in search_path (${facts.searchPath}) exists; create one, or set search_path for the role to an existing schema`;
  return undefined;
}

async function readFacts(db: Db): Promise<Facts[]> {
  try {
    return await db.rows(sql`
      select current_setting('server_version') as version, current_setting('server_version_num') as number,
             current_setting('server_encoding') as encoding, current_setting('transaction_read_only') as "readOnly",
             pg_is_in_recovery() as "isStandby", current_setting('search_path') as "searchPath",
             current_schema() as schema`);
  } catch (error) {
    const code = errorCodeOf(error);
    if (isUntrusted(code)) throw new Error(untrusted(error, code), { cause: error });
    if (!isDatabaseUnavailable(error) && !isRefusedLogin(code)) throw error;
    throw new Error(`cannot reach the database of DATABASE_URL: ${reasonOf(error, code)}`, {
      cause: error,
    });
  }
}

const reasonOf = (error: unknown, code: string): string =>
  error instanceof Error && error.message !== "" ? error.message : code;

/** OpenSSL and Node.js codes for a certificate of an unknown authority or for another name. */
const UNTRUSTED_CODES: ReadonlySet<string> = new Set([
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

const isUntrusted = (code: string): boolean => UNTRUSTED_CODES.has(code);

const untrusted = (error: unknown, code: string): string =>
  `the certificate of the database is not trusted: ${reasonOf(error, code)}; ` +
  "set its authority with sslrootcert=/path/to/ca.pem in DATABASE_URL";
