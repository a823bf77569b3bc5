import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import sql from "sql-template-tag";
import type { Db, Tx } from "../db/database.ts";
import { type MasterKeys, open, SealError, seal } from "../vault/seal.ts";

/**
 * Secrets that the server made for itself. They live sealed in the database, so every process has the same ones. A
 * KeyObject shows nothing of itself when it is printed.
 */
export type ServerSecrets = {
  /** Keys the digests of API keys. */
  pepper: KeyObject;
  /** Signs pagination cursors. */
  cursorKey: KeyObject;
  /** Keys the digests of codes, by which one that was seen before is found. */
  codeDigestKey: KeyObject;
};

const SECRET_BYTES = 32;

/** Fails with one clear line when the master key is not the one that this database was set up with. */
export async function loadServerSecrets(db: Db, masterKeys: MasterKeys): Promise<ServerSecrets> {
  return db.transaction(async (tx) => ({
    pepper: await loadOrCreate(tx, masterKeys, "api-key-pepper"),
    cursorKey: await loadOrCreate(tx, masterKeys, "cursor-key"),
    codeDigestKey: await loadOrCreate(tx, masterKeys, "code-digest-key"),
  }));
}

/** Whether this database was set up under a master key before. */
export async function hasServerSecrets(db: Db): Promise<boolean> {
  const [table] = await db.rows<{ found: boolean }>(
    sql`select to_regclass('sealed_secrets') is not null as found`,
  );
  if (!table?.found) return false;
  return (await db.rows(sql`select from sealed_secrets limit 1`)).length > 0;
}

/** What the seal of a server's secret is bound to. */
export const serverSecretContext = (name: string): string => `server-secret:${name}`;

async function loadOrCreate(tx: Tx, masterKeys: MasterKeys, name: string): Promise<KeyObject> {
  const context = serverSecretContext(name);
  const fresh = seal(masterKeys, context, randomBytes(SECRET_BYTES));
  await tx.rows(
    sql`insert into sealed_secrets (name, sealed) values (${name}, ${fresh}) on conflict (name) do nothing`,
  );
  const [row] = await tx.rows<{ sealed: Buffer }>(
    sql`select sealed from sealed_secrets where name = ${name}`,
  );
  if (!row) throw new Error(`the server secret ${name} is missing`);
  try {
    return createSecretKey(open(masterKeys, context, row.sealed));
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new Error("SCRIP_MASTER_KEY is not the master key that this database was set up with");
  }
}
