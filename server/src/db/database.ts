import { columnTypes } from "./column-types.ts";
import { errorCodeOf } from "./database-errors.ts";
import { type Hosts, hostOf, NoPrimaryError, openHosts } from "./hosts.ts";
import type { NamedStatement } from "./joined-query.ts";
import { type Listener, listen } from "./listen.ts";
import { openPool, type PoolSettings } from "./open-pool.ts";
import { openBeatLine } from "./primary/beat-line.ts";
import type { ServingProcess } from "./primary/serving-process.ts";
import { type PrimaryEvents, type PrimaryWatch, watchPrimary } from "./primary/watch-primary.ts";
import type { Queryable, QueryOptions, Statement, Tx } from "./queryable.ts";
import { runAlone, shortTransaction, transaction, wholeTransaction } from "./run-transactions.ts";

export type { Queryable, QueryOptions, Statement, Tx };

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
