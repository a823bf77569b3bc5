import { createHmac, type KeyObject, randomInt } from "node:crypto";
import type { Queryable, Tx } from "../../db/database.ts";
import { markRecoveryCodeUsed, replaceRecoveryCodes } from "./factor-queries.ts";

export const RECOVERY_CODES = 10;
const GROUPS = 3;
const GROUP_CHARACTERS = 4;
/** Without letters that look like digits. 60 bits in twelve of them. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Ten new codes in place of all older ones. They are shown this once; their keyed digests are stored. */
export async function makeRecoveryCodes(tx: Tx, accountKey: KeyObject, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newCode);
  await replaceRecoveryCodes(
    tx,
    accountId,
    codes.map((code) => digestOf(accountKey, code)),
  );
  return codes;
}

/** Uses the code up; false when it is none, or was used before. Spaces, hyphens and case do not matter. */
export async function useRecoveryCode(
  db: Queryable,
  accountKey: KeyObject,
  attempt: { accountId: string; code: string; now: Date },
): Promise<boolean> {
  const digest = digestOf(accountKey, attempt.code);
  return (await markRecoveryCodeUsed(db, attempt.accountId, digest, attempt.now)).length > 0;
}

const newCode = (): string => Array.from({ length: GROUPS }, newGroup).join("-");

const newGroup = (): string =>
  Array.from({ length: GROUP_CHARACTERS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");

const digestOf = (key: KeyObject, code: string): Buffer =>
  createHmac("sha256", key)
    .update(
      `recovery\0${code.toLowerCase().replaceAll(/[\s-]/g, "").replaceAll(/[il]/g, "1").replaceAll("o", "0")}`,
    )
    .digest();
