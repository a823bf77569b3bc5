import type { ClientBase } from "pg";

/** What a new connection turned out to lead to. */
export type Session = {
  /** False on a standby, and on a primary that was set to read only. */
  takesWrites: boolean;
  /** Whether it is a standby. */
  isInRecovery: boolean;
};

export type SessionLimits = {
  /** For one statement, and for an idle transaction. 0 is off. */
  statementTimeoutMs: number;
};

/** How long a server may take to answer before the connection is given up. */
export const PREPARE_TIMEOUT_MS = 5_000;

/**
 * Sets every session parameter that the code relies on, whatever the server, the database, the role or the environment
 * say, and tells where the connection leads. One round trip for each new connection.
 *
 * They are set by a query, because poolers refuse startup parameters. `search_path`, `synchronous_commit` and
 * `default_transaction_read_only` stay the operator's: `check-server` looks at them.
 */
export async function prepareSession(client: ClientBase, limits: SessionLimits): Promise<Session> {
  const query = { text: preparation(limits), query_timeout: PREPARE_TIMEOUT_MS };
  // A query of several statements has several results, which the types of the driver do not know.
  const results: unknown = await client.query(query);
  const rows = Array.isArray(results) ? results.at(-1).rows : [];
  const { read_only, in_recovery }: { read_only?: string; in_recovery?: boolean } = rows[0] ?? {};
  return { takesWrites: read_only === "off", isInRecovery: in_recovery === true };
}

/** What the code relies on. Most are the defaults of PostgreSQL, which an operator may have changed. */
const PARAMETERS: Readonly<Record<string, string>> = {
  // Functions with disabled scans have huge costs before PostgreSQL 18: each call would be compiled for a second.
  jit: "off",
  plan_cache_mode: "auto",
  // How values are written and read: the driver, SQL literals and hashes computed in SQL know these forms alone.
  datestyle: "ISO, MDY",
  intervalstyle: "postgres",
  timezone: "UTC",
  bytea_output: "hex",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  array_nulls: "on",
  transform_null_equals: "off",
  // The audit compares definitions as PostgreSQL writes them.
  quote_all_identifiers: "off",
  // What a statement outside of a transaction sees.
  default_transaction_isolation: "read committed",
  default_transaction_deferrable: "off",
  row_security: "on",
  // Only a warning tells that a commit did not wait for its standby.
  client_min_messages: "warning",
  // Ours alone are in force. Listeners are idle for days, imports run for hours.
  lock_timeout: "0",
  idle_session_timeout: "0",
};

/** Not every supported version has these. */
const NEWER_PARAMETERS: Readonly<Record<string, string>> = { transaction_timeout: "0" };

const preparation = ({ statementTimeoutMs }: SessionLimits): string => {
  const limits = {
    statement_timeout: `${statementTimeoutMs}`,
    idle_in_transaction_session_timeout: `${statementTimeoutMs}`,
  };
  return [
    // First, so that a short limit of the role does not strike here.
    "set statement_timeout = 0",
    // A standby refuses to be read at a default of serializable, and could not say that it is one.
    "set transaction isolation level read committed",
    `select ${Object.entries({ ...PARAMETERS, ...limits })
      .map(([name, value]) => `set_config('${name}', '${value}', false)`)
      .join(", ")}`,
    ...Object.entries(NEWER_PARAMETERS).map(
      ([name, value]) =>
        `select set_config('${name}', '${value}', false) where current_setting('${name}', true) is not null`,
    ),
    "select current_setting('transaction_read_only') as read_only, pg_is_in_recovery() as in_recovery",
  ].join("; ");
};
