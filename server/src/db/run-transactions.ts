import type pg from "pg";

import { errorCodeOf, isUnanswered } from "./database-errors.ts";
import { type NamedStatement, runAfter, runBefore, runWhole } from "./joined-query.ts";
import type { Connection, PrimaryPool } from "./open-pool.ts";
import type { QueryOptions, Statement, Tx } from "./queryable.ts";

/** PostgreSQL's code for a statement whose completion is unknown. */
const COMPLETION_UNKNOWN = "40003";
const READ_ONLY = "25006";
/** PostgreSQL's code for a transaction that must be rolled back. */
const TRANSACTION_FAILED = "25P02";

/** The function in PostgreSQL that emits the warning. Unlike its text, the name is not translated. */
const STANDBY_WAIT = "SyncRepWaitForLSN";

export async function runAlone<Row>(
  pool: PrimaryPool,
  query: Statement,
  options?: QueryOptions,
): Promise<Row[]> {
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

export const transaction = <T>(pool: PrimaryPool, work: (tx: Tx) => Promise<T>): Promise<T> =>
  onConnection(pool, async (client) => {
    await client.query(BEGIN);
    const result = await work(toTx(client));
    checkCommitted(await client.query(COMMIT));
    return result;
  });

export const shortTransaction = <Row, T>(
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

export const wholeTransaction = <Row>(
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
  const rows = result.rows as Row[];
  // The driver's promise keeps its result alive for longer than anyone needs it. With the rows in it, a third of all garbage became
  // old, for the expensive collections; without them, almost nothing.
  result.rows = [];
  return rows;
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
