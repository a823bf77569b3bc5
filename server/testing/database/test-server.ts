import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import sql, { raw } from "sql-template-tag";
import { connectDatabase, type Db } from "../../src/db/database.ts";
import { type EmbeddedDatabase, openEmbedded } from "../../src/db/embedded/open-embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { SOCKET_SETTINGS, throughSocket, trustSocket } from "./test-socket.ts";

/** The server of a test process, with a migrated database to clone. */
export type TestServer = {
  admin: Db;
  connectionString: string;
  template: string;
  leave(): Promise<void>;
};

/** How the test run tells its processes about the server that it holds open for them. */
export const HELD_SERVER = "SCRIP_TEST_SERVER";
type HeldServer = { connectionString: string; template: string };

const TEST_POOL_SIZE = 8;
/** Tests fill whole tables in one statement, on a machine that may be busy. */
const STATEMENT_TIMEOUT_MS = 120_000;
const TEMPLATE_LOCK = 7_242_002;

/**
 * One PostgreSQL serves all test processes of a run. The last one to leave stops it. Its data need not survive a
 * power cut, so it does not wait for the disk; tests of durability start their own server.
 */
export const openTestServer = (): Promise<EmbeddedDatabase> =>
  openEmbedded({
    dataDir: testDataDir(),
    log: () => {},
    settings: {
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
      autovacuum: "off",
      // Nobody follows its log, and what fills a new table need not be in it.
      wal_level: "minimal",
      max_wal_senders: "0",
      // Tables without statistics are taken for large ones, and to start a worker costs more than to read a small one.
      max_parallel_workers_per_gather: "0",
      checkpoint_timeout: "1h",
      // Its files may be in memory.
      max_wal_size: "256MB",
      // Searched as a whole for each database that is created or dropped.
      shared_buffers: "128MB",
      ...SOCKET_SETTINGS,
    },
  });

export const testDataDir = (): string => join(tmpdir(), `scrip-test-${userInfo().uid}`);

/** Holds the server open for the processes that get the returned environment. They need not join it themselves. */
export async function holdTestServer(): Promise<{
  env: Record<string, string>;
  postmasterPid: number;
  close(): Promise<void>;
}> {
  const { admin, connectionString, template, leave } = await startSharing();
  const held: HeldServer = { connectionString, template };
  const [row] = await admin.rows<{ pid: number }>(
    sql`select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::integer as pid`,
  );
  return { env: { [HELD_SERVER]: JSON.stringify(held) }, postmasterPid: row?.pid ?? 0, close: leave };
}

/** The files of one process share the server and the connections that create and drop databases. */
export async function enterTestServer(): Promise<TestServer> {
  users += 1;
  shared ??= startSharing();
  const server = await shared;
  return {
    ...server,
    async leave() {
      users -= 1;
      if (users > 0 || process.env[HELD_SERVER] !== undefined) return;
      shared = undefined;
      await server.leave();
    },
  };
}

let users = 0;
let shared: Promise<TestServer> | undefined;

async function startSharing(): Promise<TestServer> {
  const held = process.env[HELD_SERVER];
  if (held !== undefined) {
    const { connectionString, template }: HeldServer = JSON.parse(held);
    const admin = connectForTest(connectionString);
    return { admin, connectionString, template, leave: () => admin.close() };
  }
  const server = await openTestServer();
  const admin = connectForTest(server.connectionString);
  const leave = async () => {
    await admin.close();
    await server.close();
  };
  try {
    if (server.startedHere) await trustSocket(testDataDir(), admin);
    const template = await ensureTemplate(admin, server.connectionString);
    return { admin, connectionString: server.connectionString, template, leave };
  } catch (error) {
    await leave();
    throw error;
  }
}

export const connectForTest = (connectionString: string): Db =>
  connectDatabase({
    connectionString: throughSocket(testDataDir(), connectionString),
    applicationName: "scrip test",
    poolSize: TEST_POOL_SIZE,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onConnectionLost: () => {},
  });

/** The template is named after its content, so a changed migration creates a new one. */
async function ensureTemplate(admin: Db, connectionString: string): Promise<string> {
  const name = `template_${await hashMigrations()}`;
  await admin.transaction(async (tx) => {
    await tx.rows(sql`select pg_advisory_xact_lock(${TEMPLATE_LOCK})`);
    const found = await tx.rows(sql`select from pg_database where datname = ${name}`);
    if (found.length > 0) return;
    // Built under another name and renamed when complete, so a killed run leaves no partial template.
    const draft = `draft_${randomBytes(6).toString("hex")}`;
    await admin.rows(raw(`create database ${draft}`));
    const db = connectForTest(withDatabase(connectionString, draft));
    await migrate(db);
    // What a migration brought along is promised only a while after it. Here it always is, however old the template is.
    await db.rows(sql`update schema_migrations set applied_at = applied_at - interval '2 hours'`);
    await db.close();
    await admin.rows(raw(`alter database ${draft} rename to ${name}`));
  });
  return name;
}

async function hashMigrations(): Promise<string> {
  const folder = new URL("../../migrations/", import.meta.url);
  const hash = createHash("sha256");
  for (const name of (await readdir(folder)).sort()) hash.update(await readFile(new URL(name, folder)));
  hash.update(await readFile(new URL(import.meta.url)));
  return hash.digest("hex").slice(0, 16);
}

export function withDatabase(connectionString: string, name: string): string {
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
}
