import type { ClientBase } from "pg";

/** What a new connection leads to. */
export type Session = {
  /** False on a standby and on a read-only primary. */
  takesWrites: boolean;
  /** Whether it is a standby. */
  isInRecovery: boolean;
};

export type SessionLimits = {
  /** For one statement and for an idle transaction. 0 disables it. */
  statementTimeoutMs: number;
};

/** How long a server can take to respond before the connection is given up. */
export const PREPARE_TIMEOUT_MS = 5_000;

/**
 * Sets every session parameter that the code relies on, overriding the server, the database, the role and the
 * environment, and reports where the connection leads. One round trip for each new connection.
 *
 * They are set by a query, because poolers refuse startup parameters. `search_path`, `synchronous_commit` and
 * `default_transaction_read_only` are left to the operator and checked by `check-server`.
 */
export async function prepareSession(client: ClientBase, limits: SessionLimits): Promise<Session> {
  const query = { text: preparation(limits), query_timeout: PREPARE_TIMEOUT_MS };
  // A query of several statements has several results, which the driver's types do not cover.
  const results: unknown = await client.query(query);
  const rows = Array.isArray(results) ? results.at(-1).rows : [];
  const { read_only, in_recovery }: { read_only?: string; in_recovery?: boolean } = rows[0] ?? {};
  return { takesWrites: read_only === "off", isInRecovery: in_recovery === true };
}

/** What the code relies on. Most are PostgreSQL's defaults, which an operator may have changed. */
const PARAMETERS: Readonly<Record<string, string>> = {
  // Before PostgreSQL 18, disabled scans have huge costs: each call would be compiled for a second.
  jit: "off",
  plan_cache_mode: "auto",
  // Formats of values: the driver, SQL literals and hashes computed in SQL rely on these.
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
  // What a statement outside a transaction sees.
  default_transaction_isolation: "read committed",
  default_transaction_deferrable: "off",
  row_security: "on",
  // Only a warning reports that a commit did not wait for its standby.
  client_min_messages: "warning",
  // Only our own limits apply. Listeners are idle for days, and imports run for hours.
  lock_timeout: "0",
  idle_session_timeout: "0",
};

/** Not available in every supported version. */
const NEWER_PARAMETERS: Readonly<Record<string, string>> = { transaction_timeout: "0" };

const preparation = ({ statementTimeoutMs }: SessionLimits): string => {
  const limits = {
    statement_timeout: `${statementTimeoutMs}`,
    idle_in_transaction_session_timeout: `${statementTimeoutMs}`,
  };
  return [
    // First, so that a short limit of the role does not apply here.
    "set statement_timeout = 0",
    // A standby cannot be read at serializable, and could not report that it is one.
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
