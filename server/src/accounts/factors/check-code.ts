import type { Queryable } from "../../db/database.ts";
import type { Keyring } from "../../vault/keyring.ts";
import { open, SealError } from "../../vault/seal.ts";
import type { AccountDeps } from "../account-deps.ts";
import { findTotp, markTotpUsed } from "./factor-queries.ts";
import { useRecoveryCode } from "./recovery-codes.ts";
import { findStep } from "./totp.ts";

/** What the seal of a TOTP secret is bound to. */
export const totpContext = (accountId: string): string => `totp:${accountId}`;

export function openTotp(keyring: Keyring, accountId: string, sealed: Buffer): Buffer {
  const openNow = () => open(keyring.masterKeys(), totpContext(accountId), sealed);
  try {
    return openNow();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    // Another process may have sealed it under a key that was added a moment ago.
    keyring.reload();
    return openNow();
  }
}

/** Whether the app shows this code now. It is used up by being right. */
export async function useTotpCode(
  deps: Pick<AccountDeps, "clock" | "keyring">,
  db: Queryable,
  accountId: string,
  code: string,
): Promise<boolean> {
  const row = await findTotp(db, accountId);
  if (!row?.confirmedAt) return false;
  const secretBytes = openTotp(deps.keyring, accountId, row.sealed);
  const step = findStep(secretBytes, code.replaceAll(/\s/g, ""), deps.clock.now(), Number(row.lastStep));
  return step !== undefined && (await markTotpUsed(db, accountId, step)).length > 0;
}

/** A code of the app, or one of the recovery codes. Which of the two worked is told to the log. */
export async function useAnyCode(
  deps: Pick<AccountDeps, "clock" | "keyring" | "accountKey">,
  db: Queryable,
  accountId: string,
  code: string,
): Promise<"totp" | "recovery_code" | undefined> {
  if (await useTotpCode(deps, db, accountId, code)) return "totp";
  const attempt = { accountId, code, now: deps.clock.now() };
  return (await useRecoveryCode(db, deps.accountKey, attempt)) ? "recovery_code" : undefined;
}
