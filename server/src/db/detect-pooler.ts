import { openHosts } from "./hosts.ts";
import { openPool } from "./open-pool.ts";
import { PREPARE_TIMEOUT_MS } from "./prepare-session.ts";

/** Runs a statement on one connection; answers the number in its first row, if there is one. */
export type AskConnection = (text: string) => Promise<number | undefined>;

/** What each of the two does in turn. More turns than a pooler can answer by luck while others use it too. */
const TURNS = 8;

/**
 * Refuses a pooler that gives a connection another backend for each transaction or statement: prepared statements,
 * session parameters and LISTEN would be lost, and orders would fail.
 */
export async function refuseTransactionPooler(connectionString: string): Promise<void> {
  const config = {
    application_name: "scrip start",
    max: 2,
    connectionTimeoutMillis: PREPARE_TIMEOUT_MS,
    query_timeout: PREPARE_TIMEOUT_MS,
  };
  const pool = openPool(openHosts(connectionString), config, () => {});
  try {
    const connections = await Promise.all([pool.connect(), pool.connect()]);
    const [first, second] = connections.map(
      ({ client }): AskConnection =>
        async (text) =>
          (await client.query<{ pid?: number }>(text)).rows[0]?.pid,
    );
    try {
      if (first && second && !(await keepBackends(first, second))) throw new Error(REFUSAL);
    } finally {
      // They may be anywhere in a transaction, on anybody's backend.
      for (const connection of connections) connection.release(new Error("it has served its purpose"));
    }
  } finally {
    await pool.end();
  }
}

const REFUSAL =
  "DATABASE_URL leads through a pooler in transaction or statement mode; Scrip needs session mode " +
  "(PgBouncer: pool_mode = session), or a direct connection to PostgreSQL";

const PID = "select pg_backend_pid() as pid";

/** Whether two connections that are open at the same time have a backend each, and keep it, in transactions and between. */
export async function keepBackends(first: AskConnection, second: AskConnection): Promise<boolean> {
  const seen = { first: new Set<number | undefined>(), second: new Set<number | undefined>() };
  const isMixed = () =>
    seen.first.size > 1 || seen.second.size > 1 || [...seen.first].some((pid) => seen.second.has(pid));
  const look = async () => {
    seen.first.add(await first(PID));
    seen.second.add(await second(PID));
  };
  for (let turn = 0; turn < TURNS; turn += 1) {
    await look();
    // Before transactions overlap: a pooler with a single backend would let the second wait for the first.
    if (isMixed()) return false;
    const holder = turn % 2 === 0 ? first : second;
    if (!(await begins(holder))) return false;
    await look();
    await holder("commit");
    if (isMixed()) return false;
  }
  return true;
}

/** The code that PgBouncer gives its own refusals, such as that of a transaction in statement mode. */
const PROTOCOL_VIOLATION = "08P01";

/** Whether a transaction can be begun at all. */
async function begins(ask: AskConnection): Promise<boolean> {
  try {
    await ask("begin");
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === PROTOCOL_VIOLATION) return false;
    throw error;
  }
}
