import pg from "pg";
import { type Access, DATABASE_NAME } from "./access.ts";
import { LOOPBACK } from "./choose-port.ts";
import { errorCode, errorMessage } from "./system-error.ts";

/** Our lease on the running database, held by one connection. PostgreSQL releases it if our process dies. */
export type Lease = {
  /** Settles when the connection is lost for any reason. */
  lost: Promise<void>;
  /**
   * Releases the lease. Returns true if it was the last one. New processes then have to wait, and the caller must
   * stop the server.
   */
  giveUp(): Promise<boolean>;
  end(): Promise<void>;
};

export type LeaseOutcome = { lease: Lease } | { refusal: string };

/** Advisory locks belong to one database. This one always exists. */
const LEASE_DATABASE = "postgres";
const USERS_LOCK = 5_837_201_001;
const CREATE_LOCK = 5_837_201_002;

const CONNECT_TIMEOUT_MS = 5_000;
/** Longer than a shutdown takes to disconnect the processes that wait for the lock. */
const QUERY_TIMEOUT_MS = 60_000;

/** Joins the server on this port. A refusal can be temporary: it may be starting, recovering or stopping. */
export async function takeLease(access: Access, port: number): Promise<LeaseOutcome> {
  const client = new pg.Client({
    host: LOOPBACK,
    port,
    user: access.user,
    password: access.password,
    database: LEASE_DATABASE,
    ssl: false,
    application_name: "scrip lease",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    // Overrides session limits that the operator has set.
    options: "-c idle_session_timeout=0 -c statement_timeout=0 -c lock_timeout=0",
  });
  const lost = new Promise<void>((resolve) => client.once("end", resolve));
  // Without a listener a broken connection would crash the process. `lost` reports it.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(`select pg_advisory_lock_shared(${USERS_LOCK})`);
    await ensureDatabase(client);
    return { lease: leaseOn(client, lost) };
  } catch (error) {
    void client.end().catch(() => {});
    if (isWrongPassword(error)) throw new Error("the embedded PostgreSQL does not accept its own password");
    return { refusal: errorMessage(error) };
  }
}

/** Two new processes can both find it missing, so a lock is needed. */
async function ensureDatabase(client: pg.Client): Promise<void> {
  if (await hasDatabase(client)) return;
  await client.query(`select pg_advisory_lock(${CREATE_LOCK})`);
  if (!(await hasDatabase(client))) await client.query(`create database ${DATABASE_NAME}`);
  await client.query(`select pg_advisory_unlock(${CREATE_LOCK})`);
}

async function hasDatabase(client: pg.Client): Promise<boolean> {
  const result = await client.query("select 1 from pg_database where datname = $1", [DATABASE_NAME]);
  return result.rows.length > 0;
}

function leaseOn(client: pg.Client, lost: Promise<void>): Lease {
  return {
    lost,
    giveUp: async () => {
      await client.query(`select pg_advisory_unlock_shared(${USERS_LOCK})`);
      const result = await client.query(`select pg_try_advisory_lock(${USERS_LOCK}) as is_last`);
      return result.rows[0]?.is_last === true;
    },
    end: () => client.end().catch(() => {}),
  };
}

function isWrongPassword(error: unknown): boolean {
  return errorCode(error) === "28P01";
}
