import { openHosts } from "./hosts.ts";
import { openPool } from "./open-pool.ts";
import { PREPARE_TIMEOUT_MS } from "./prepare-session.ts";

/** Runs a statement on one connection and returns the number in its first row, if any. */
export type AskConnection = (text: string) => Promise<number | undefined>;

/** The number of turns of each connection. Enough that a shared pooler does not pass by chance. */
const TURNS = 8;

/**
 * Refuses a pooler that switches backends between transactions or statements: prepared statements, session
 * parameters and LISTEN would be lost, and orders would fail.
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
      // Each can be inside a transaction on a shared backend.
      for (const connection of connections) connection.release(new Error("no longer needed"));
    }
  } finally {
    await pool.end();
  }
}

const REFUSAL =
  "DATABASE_URL points to a pooler in transaction or statement mode; Scrip needs session mode " +
  "(PgBouncer: pool_mode = session), or a direct connection to PostgreSQL";

const PID = "select pg_backend_pid() as pid";

/** Whether two simultaneous connections each have their own backend and keep it, inside and outside transactions. */
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
    // Checked before transactions overlap: with a single backend, the second would wait for the first.
    if (isMixed()) return false;
    const holder = turn % 2 === 0 ? first : second;
    if (!(await begins(holder))) return false;
    await look();
    await holder("commit");
    if (isMixed()) return false;
  }
  return true;
}

/** PgBouncer's code for its own refusals, such as a transaction in statement mode. */
const PROTOCOL_VIOLATION = "08P01";

/** Whether a transaction can be started at all. */
async function begins(ask: AskConnection): Promise<boolean> {
  try {
    await ask("begin");
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === PROTOCOL_VIOLATION) return false;
    throw error;
  }
}
