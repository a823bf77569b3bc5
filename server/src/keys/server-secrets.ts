import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import sql from "sql-template-tag";
import type { Db, Tx } from "../db/database.ts";
import { type MasterKeys, open, SealError, seal } from "../vault/seal.ts";

/**
 * Secrets that the server generates. They are stored sealed in the database, so all processes share them. Printing a
 * KeyObject shows no secret.
 */
export type ServerSecrets = {
  /** HMAC key for the digests of API keys. */
  pepper: KeyObject;
  /** Signs pagination cursors. */
  cursorKey: KeyObject;
  /** HMAC key for the digests of codes, used to find duplicates. */
  codeDigestKey: KeyObject;
  /** Keys what is only compared of people: form tokens, recovery codes, the subjects of guesses. */
  accountKey: KeyObject;
};

const SECRET_BYTES = 32;

/** Fails with one clear line if the master key is not the one this database was set up with. */
export async function loadServerSecrets(db: Db, masterKeys: MasterKeys): Promise<ServerSecrets> {
  const present = await readSealed(db);
  if (NAMES.some((name) => !present.has(name))) await db.transaction((tx) => createMissing(tx, masterKeys));
  const sealed = NAMES.every((name) => present.has(name)) ? present : await readSealed(db);
  const load = (name: SecretName): KeyObject => openSecret(masterKeys, name, sealed.get(name));
  return {
    pepper: load("api-key-pepper"),
    cursorKey: load("cursor-key"),
    codeDigestKey: load("code-digest-key"),
    accountKey: load("account-key"),
  };
}

const NAMES = ["api-key-pepper", "cursor-key", "code-digest-key", "account-key"] as const;
type SecretName = (typeof NAMES)[number];

async function readSealed(db: Db): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await db.rows<{ name: string; sealed: Buffer }>(
    sql`select name, sealed from sealed_secrets where name = any(${[...NAMES]}::text[])`,
  );
  return new Map(rows.map(({ name, sealed }) => [name, sealed]));
}

/** Whether this database was already set up with a master key. */
export async function hasServerSecrets(db: Db): Promise<boolean> {
  const [table] = await db.rows<{ found: boolean }>(
    sql`select to_regclass('sealed_secrets') is not null as found`,
  );
  if (!table?.found) return false;
  return (await db.rows(sql`select from sealed_secrets limit 1`)).length > 0;
}

/** The context that the seal of a server secret is bound to. */
export const serverSecretContext = (name: string): string => `server-secret:${name}`;

/** Processes that start together agree on one secret: the second leaves the first one's in place. */
async function createMissing(tx: Tx, masterKeys: MasterKeys): Promise<void> {
  for (const name of NAMES) {
    const fresh = seal(masterKeys, serverSecretContext(name), randomBytes(SECRET_BYTES));
    await tx.rows(
      sql`insert into sealed_secrets (name, sealed) values (${name}, ${fresh}) on conflict (name) do nothing`,
    );
  }
}

function openSecret(masterKeys: MasterKeys, name: SecretName, sealed: Buffer | undefined): KeyObject {
  if (!sealed) throw new Error(`the server secret ${name} is missing`);
  try {
    return createSecretKey(open(masterKeys, serverSecretContext(name), sealed));
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new Error("SCRIP_MASTER_KEY is not the master key that this database was set up with");
  }
}
