import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import sql, { raw } from "sql-template-tag";
import { connectDatabase, type Db } from "../../src/db/database.ts";
import { type EmbeddedDatabase, openEmbedded } from "../../src/db/embedded/open-embedded.ts";
import { migrate } from "../../src/db/migrate.ts";

export type TestDatabase = { db: Db; connectionString: string; drop(): Promise<void> };

/** A migrated, empty database for one test file, cloned from a template in a tenth of a second. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await openTestServer();
  const admin = connect(server.connectionString);
  try {
    const template = await ensureTemplate(admin, server.connectionString);
    const name = `test_${process.pid}_${randomBytes(6).toString("hex")}`;
    // The copy of files costs half as much, and the drop a third, of one that goes through the log.
    await admin.rows(raw(`create database ${name} template ${template} strategy file_copy`));
    const connectionString = withDatabase(server.connectionString, name);
    const db = connect(connectionString);
    return {
      db,
      connectionString,
      async drop() {
        await db.close();
        await admin.rows(raw(`drop database ${name} with (force)`));
        await admin.close();
        await server.close();
      },
    };
  } catch (error) {
    await admin.close();
    await server.close();
    throw error;
  }
}

/**
 * One PostgreSQL serves all test processes of a run. The last one to leave stops it. Its data need not survive a
 * power cut, so it does not wait for the disk; tests of durability start their own server.
 */
export const openTestServer = (): Promise<EmbeddedDatabase> =>
  openEmbedded({
    dataDir: join(tmpdir(), `scrip-test-${userInfo().uid}`),
    log: () => {},
    settings: {
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
      autovacuum: "off",
      // Nobody follows its log, and what fills a new table need not be in it.
      wal_level: "minimal",
      max_wal_senders: "0",
      checkpoint_timeout: "1h",
    },
  });

const TEST_POOL_SIZE = 8;
/** Tests fill whole tables in one statement, on a machine that may be busy. */
const STATEMENT_TIMEOUT_MS = 120_000;
const TEMPLATE_LOCK = 7_242_002;

const connect = (connectionString: string): Db =>
  connectDatabase({
    connectionString,
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
    const db = connect(withDatabase(connectionString, draft));
    await migrate(db);
    await db.close();
    await admin.rows(raw(`alter database ${draft} rename to ${name}`));
  });
  return name;
}

async function hashMigrations(): Promise<string> {
  const folder = new URL("../../migrations/", import.meta.url);
  const hash = createHash("sha256");
  for (const name of (await readdir(folder)).sort()) hash.update(await readFile(new URL(name, folder)));
  return hash.digest("hex").slice(0, 16);
}

function withDatabase(connectionString: string, name: string): string {
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
}
