import type pg from "pg";
import type { Sql } from "sql-template-tag";
import { columnTypes } from "./column-types.ts";
import { type Hosts, hostOf, NoPrimaryError, openHosts } from "./hosts.ts";
import { type NamedStatement, runAfter, runBefore, runWhole, UNANSWERED_MESSAGE } from "./joined-query.ts";
import { type Listener, listen } from "./listen.ts";
import { type Connection, openPool, type PoolSettings, type PrimaryPool } from "./open-pool.ts";
import { openBeatLine } from "./primary/beat-line.ts";
import type { ServingProcess } from "./primary/serving-process.ts";
import { type PrimaryEvents, type PrimaryWatch, watchPrimary } from "./primary/watch-primary.ts";

/** Anything that runs a statement: the pool, or one transaction. */
export type Queryable = {
  rows<Row>(query: Statement, options?: QueryOptions): Promise<Row[]>;
};

/** An `sql` template, or a text that is built once and used with many values. */
export type Statement = Pick<Sql, "text" | "values">;

/** One open transaction. No network call is made while one is open. */
export type Tx = Queryable & { readonly isTransaction: true };

export type Db = Queryable & {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * A transaction of two round trips, for the hottest paths: `begin` goes out with its first statement, and `commit` with the
   * last one that `work` returns, if it returns one.
   */
  shortTransaction<Row, T>(
    first: NamedStatement,
    work: (tx: Tx, rows: Row[]) => Promise<{ result: T; last: NamedStatement | undefined }>,
  ): Promise<T>;
  /**
   * A transaction of one round trip, in which nothing waits for this process: both statements and `commit` are sent at once, so the
   * second one must see for itself whether it is to write anything. `onWritten` gets the rows of the first one and how many the second
   * one changed, while the commit is under way.
   */
  wholeTransaction<Row>(
    first: NamedStatement,
    second: NamedStatement | undefined,
    onWritten: (rows: Row[], changed: number) => void,
  ): Promise<void>;
  /** Calls back for each NOTIFY on the channel until the listener is closed; see listen.ts. */
  listen(channel: string, onNotify: () => void): Listener;
  close(): Promise<void>;
};

/** The database of a serving process. */
export type ServingDb = Db & {
  /**
   * Starts confirming the primary once a second and trusts no other host; see watch-primary.ts. Settles after the
   * first answer, even if there is no primary. A later call replaces an earlier one.
   */
  watchPrimary(process: ServingProcess, events: PrimaryEvents): Promise<void>;
};

/** A name prepares the statement on each connection that runs it. For hot paths. */
export type QueryOptions = { name?: string };

export type ConnectionSettings = {
  /** Can list several hosts, one of which accepts writes; see hosts.ts. */
  connectionString: string;
  applicationName: string;
  poolSize: number;
  /** Called when an idle connection breaks. The pool replaces it. */
  onConnectionLost: (error: Error) => void;
  /** 0 disables the limits, for the operator's long imports and migrations. */
  statementTimeoutMs?: number;
};

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
/** How much later than its own limit the server can report a timeout. */
const ANSWER_GRACE_MS = 1_000;
const IDLE_TIMEOUT_MS = 30_000;
/** Detects an idle connection to a dead machine before it is needed. */
const KEEP_ALIVE_AFTER_MS = 10_000;

export function connectDatabase(settings: ConnectionSettings): ServingDb {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = settings;
  const hosts = openHosts(settings.connectionString);
  const config: PoolSettings = {
    application_name: settings.applicationName,
    max: settings.poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statementTimeoutMs,
    // A connection can become silent without breaking. Both sides have a limit: we give up the statement, and the
    // server ends the transaction, whose locks would otherwise outlive us by hours.
    query_timeout: statementTimeoutMs === 0 ? 0 : statementTimeoutMs + ANSWER_GRACE_MS,
    // A silent host never acknowledges the close, so the process does not wait for it.
    allowExitOnIdle: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    types: columnTypes,
  };
  const pool = openPool(hosts, config, settings.onConnectionLost);
  let watch: PrimaryWatch | undefined;

  return {
    rows: (query, options) => runAlone(pool, query, options),
    transaction: (work) => transaction(pool, work),
    shortTransaction: (first, work) => shortTransaction(pool, first, work),
    wholeTransaction: (first, second, onWritten) => wholeTransaction(pool, { first, second }, onWritten),
    listen: (channel, onNotify) => listen({ ...settings, hosts }, channel, onNotify),
    async watchPrimary(process, events) {
      const before = watch;
      watch = watchHosts(hosts, settings.applicationName, process, events);
      hosts.follow(watch);
      await Promise.all([before?.close(), watch.confirm().catch(() => {})]);
    },
    async close() {
      hosts.follow(undefined);
      await Promise.all([watch?.close(), pool.end()]);
    },
  };
}

const watchHosts = (
  hosts: Hosts,
  applicationName: string,
  process: ServingProcess,
  events: PrimaryEvents,
): PrimaryWatch =>
  watchPrimary({
    hosts: hosts.urls.map(hostOf),
    open: (index, judge, signal) =>
      openBeatLine({ connectionString: hosts.urls[index], applicationName, process, judge, signal }),
    leave: hosts.leave,
    refusal: (failures) => refusalOf(hosts, failures),
    events,
  });

/** With a single host, its own error is thrown, because its code says what kind of error it is. */
const refusalOf = ({ urls }: Hosts, failures: readonly unknown[]): Error => {
  const [first] = failures;
  const isOwn = urls.length === 1 && first instanceof Error && errorCodeOf(first) !== "";
  return isOwn ? first : new NoPrimaryError(urls, failures);
};

/** Whether the error means that the database was unavailable, so that the caller can retry later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = errorCodeOf(error);
  return (
    UNAVAILABLE_CODES.has(code) ||
    code.startsWith("08") ||
    UNAVAILABLE_MESSAGES.some((message) => error.message.includes(message))
  );
}

/** The SQLSTATE or system code of an error, or an empty string. */
export const errorCodeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "53100", // disk_full
  "53200", // out_of_memory
  "53300", // too_many_connections
  "58030", // io_error
  "57014", // query_canceled: the statement timeout
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "25P03", // idle_in_transaction_session_timeout
  "25006", // read_only_sql_transaction: a standby that is not promoted yet
  "40003", // statement_completion_unknown
]);

/** The driver reports these without a code. */
const UNAVAILABLE_MESSAGES = [
  UNANSWERED_MESSAGE,
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "timeout expired",
  "is not queryable",
];

/** PostgreSQL's code for a statement whose completion is unknown. */
const COMPLETION_UNKNOWN = "40003";
const READ_ONLY = "25006";
/** PostgreSQL's code for a transaction that must be rolled back. */
const TRANSACTION_FAILED = "25P02";

/** The function in PostgreSQL that emits the warning. Unlike its text, the name is not translated. */
const STANDBY_WAIT = "SyncRepWaitForLSN";

async function runAlone<Row>(pool: PrimaryPool, query: Statement, options?: QueryOptions): Promise<Row[]> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    return await watch(connection, () => run<Row>(connection.client, query, options));
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    connection.release(broken);
  }
}

const transaction = <T>(pool: PrimaryPool, work: (tx: Tx) => Promise<T>): Promise<T> =>
  onConnection(pool, async (client) => {
    await client.query(BEGIN);
    const result = await work(toTx(client));
    checkCommitted(await client.query(COMMIT));
    return result;
  });

const shortTransaction = <Row, T>(
  pool: PrimaryPool,
  first: NamedStatement,
  work: (tx: Tx, rows: Row[]) => Promise<{ result: T; last: NamedStatement | undefined }>,
): Promise<T> =>
  onConnection(pool, async (client) => {
    const rows = (await runAfter(client, BEGIN, first)) as Row[];
    const { result, last } = await work(toTx(client), rows);
    checkCommitted(await (last ? runBefore(client, last, COMMIT) : client.query(COMMIT)));
    return result;
  });

const wholeTransaction = <Row>(
  pool: PrimaryPool,
  statements: { first: NamedStatement; second: NamedStatement | undefined },
  onWritten: (rows: Row[], changed: number) => void,
): Promise<void> =>
  onConnection(pool, async (client) => {
    const whole = { opening: BEGIN, ...statements, closing: COMMIT };
    checkCommitted(await runWhole(client, whole, (rows, changed) => onWritten(rows as Row[], changed)));
  });

/** Explicit, so that no server default can change what a statement sees. */
const BEGIN = "begin isolation level read committed";
const COMMIT = "commit";

const toTx = (client: pg.PoolClient): Tx => ({
  isTransaction: true,
  rows: (query, options) => run(client, query, options),
});

/** Runs a whole transaction. One that fails is rolled back. */
async function onConnection<T>(pool: PrimaryPool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    return await watch(connection, () => work(connection.client));
  } catch (error) {
    broken = await findBreakage(connection.client, error);
    throw error;
  } finally {
    // A connection that could not roll back is discarded, never reused.
    connection.release(broken);
  }
}

/** PostgreSQL answers the commit of a failed transaction with a rollback and no error. */
function checkCommitted(answer: { command: string } | undefined): void {
  if (answer?.command === "COMMIT") return;
  throw Object.assign(new Error("nothing was committed: a statement of the transaction failed"), {
    code: TRANSACTION_FAILED,
  });
}

/**
 * A commit that waits for a synchronous standby can be cancelled on the server. PostgreSQL then warns and reports
 * the commit as done, although a failover would undo it. We treat its outcome as unknown.
 */
async function watch<T>({ client, suspectHost }: Connection, work: () => Promise<T>): Promise<T> {
  let isUnconfirmed = false;
  const onNotice = ({ routine }: { routine?: string | undefined }) => {
    isUnconfirmed ||= routine === STANDBY_WAIT;
  };
  client.on("notice", onNotice);
  try {
    const result = await work();
    if (!isUnconfirmed) return result;
    throw Object.assign(new Error("a commit did not wait for its standby"), { code: COMPLETION_UNKNOWN });
  } catch (error) {
    if (isUnanswered(error) || errorCodeOf(error) === READ_ONLY) suspectHost();
    throw error;
  } finally {
    client.off("notice", onNotice);
  }
}

async function run<Row>(client: pg.PoolClient, query: Statement, options: QueryOptions = {}): Promise<Row[]> {
  const config: pg.QueryConfig = { text: query.text, values: query.values };
  if (options.name !== undefined) config.name = options.name;
  const result = await client.query(config);
  return result.rows as Row[];
}

/** Rolls back. Returns an error if that fails or if the connection must not be reused. */
async function findBreakage(client: pg.PoolClient, failure: unknown): Promise<Error | undefined> {
  // A connection that did not answer the statement will not answer this either. A read-only one will stay read-only.
  if (failure instanceof Error && (isUnanswered(failure) || errorCodeOf(failure) === READ_ONLY))
    return failure;
  return client.query("rollback").then(
    () => undefined,
    (error: Error) => error,
  );
}

const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && error.message === UNANSWERED_MESSAGE;
