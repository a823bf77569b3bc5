import { createHash } from "node:crypto";
import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { Problem } from "../../lib/problem.ts";
import { isUsablePublicKey, X25519_KEY_BYTES } from "../../vault/hpke.ts";
import { type EncryptionKeyRow, insertKey, listKeyRows, lockKeys, retireKey } from "./sealing-queries.ts";

export type SealingDeps = { db: Db; clock: Clock };

/** Retired ones included: they are kept, because codes were sealed to them. */
export const ENCRYPTION_KEYS_MAX = 100;
const KID_BYTES = 16;
const BASE64URL = /^[A-Za-z0-9_-]{43}=?$/;

/** Names a public key. The reseller's side can compute it from the key. */
export const kidOf = (publicKey: Uint8Array): string =>
  createHash("sha256").update(publicKey).digest().subarray(0, KID_BYTES).toString("base64url");

/** The current key, if there is one. */
export async function getEncryptionKey(db: Db, tenant: Tenant): Promise<EncryptionKeyRow | undefined> {
  const [current] = await listKeyRows(db, tenant);
  return current?.retiredAt === null ? current : undefined;
}

/**
 * From now on codes are sealed to this key when they are delivered. Codes that were delivered before stay as they are: sealed to
 * the key of their time, or readable as before. To register the current key again changes nothing.
 */
export async function registerEncryptionKey(
  { db, clock }: SealingDeps,
  tenant: Tenant,
  publicKeyText: string,
  by: By,
): Promise<EncryptionKeyRow> {
  const publicKey = readPublicKey(publicKeyText);
  const kid = kidOf(publicKey);
  return changeKeys(db, tenant, async (tx, keys) => {
    const [current] = keys;
    if (current?.kid === kid && !current.retiredAt) return current;
    if (keys.length >= ENCRYPTION_KEYS_MAX && !keys.some((key) => key.kid === kid)) throw tooManyKeys();
    const now = clock.now();
    await retireKey(tx, tenant, now);
    await insertKey(tx, tenant, { kid, publicKey }, now);
    await record(tx, clock, tenant, by, { action: "encryption_key.registered", kid, before: current });
    return { kid, publicKey, registeredAt: now, retiredAt: null };
  });
}

/** Codes that are delivered from now on are readable as before. Codes that were sealed stay sealed. */
export const removeEncryptionKey = ({ db, clock }: SealingDeps, tenant: Tenant, by: By): Promise<void> =>
  changeKeys(db, tenant, async (tx, [current]) => {
    if (current?.retiredAt !== null) return;
    await retireKey(tx, tenant, clock.now());
    await record(tx, clock, tenant, by, { action: "encryption_key.removed", kid: current.kid });
  });

const changeKeys = <Result>(
  db: Db,
  tenant: Tenant,
  change: (tx: Tx, keys: readonly EncryptionKeyRow[]) => Promise<Result>,
): Promise<Result> =>
  db.transaction(async (tx) => {
    await lockKeys(tx, tenant);
    return change(tx, await listKeyRows(tx, tenant));
  });

function record(
  tx: Tx,
  clock: Clock,
  tenant: Tenant,
  by: By,
  change: { action: `${string}.${string}`; kid: string; before?: EncryptionKeyRow | undefined },
): Promise<void> {
  const before = change.before && !change.before.retiredAt ? { kid: change.before.kid } : undefined;
  const object = { kind: "encryption_key", id: change.kid };
  const { resellerId, environment } = tenant;
  return recordActivity(tx, clock, { ...by, resellerId, environment, action: change.action, object, before });
}

/** What is wrong with a public key in base64url, for a person; undefined if codes can be sealed to it. */
export function findKeyFault(text: string): string | undefined {
  try {
    readPublicKey(text);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.message.replace(/^publicKey/, "It");
    throw error;
  }
}

/** Base64url of 32 bytes. What is no such key, or one that gives no secrecy, is refused. */
function readPublicKey(text: string): Buffer {
  const publicKey = BASE64URL.test(text) ? Buffer.from(text, "base64url") : Buffer.alloc(0);
  if (publicKey.length !== X25519_KEY_BYTES || base64urlOf(publicKey) !== text.replace("=", ""))
    throw badKey("format", "publicKey must be an X25519 public key: 32 bytes in base64url.");
  if (!isUsablePublicKey(publicKey))
    throw badKey(
      "weak_key",
      "publicKey is a point of low order or not in canonical form. Generate a new key pair.",
    );
  return publicKey;
}

export const base64urlOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

const badKey = (code: string, detail: string): Problem =>
  new Problem("invalid_request", detail, { errors: [{ pointer: "/publicKey", code, detail }] });

const tooManyKeys = (): Problem =>
  new Problem(
    "encryption_key_limit_reached",
    `You have registered ${ENCRYPTION_KEYS_MAX} keys, which is the maximum. Register one of them again, or ask the operator.`,
  );
