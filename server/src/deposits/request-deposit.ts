import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { Clock } from "../lib/clock.ts";
import { firstIdAt, idsOf } from "../lib/ids.ts";
import { AMOUNT_MAX_MINOR, formatAmount } from "../lib/money.ts";
import { assertPlainText } from "../lib/plain-text.ts";
import { Problem } from "../lib/problem.ts";
import { findWallet } from "../wallet/queries.ts";
import type { Deposit } from "./deposit.ts";
import { countRequested, findByKey, insertDeposit } from "./deposit-queries.ts";
import { createReference } from "./reference.ts";

export type DepositRequest = {
  amountMinor: bigint;
  note?: string | undefined;
  /** A repeat with the same key returns the first deposit. */
  idempotencyKey?: string | undefined;
};

export const DEPOSIT_NOTE_MAX_CHARACTERS = 500;
/**
 * Requests of one tenant that nobody has paid. Older ones no longer count, so nobody is locked out forever. Requests that come at the
 * same time are counted together, so a few more can get in.
 */
export const REQUESTED_MAX = 100;
const REQUESTED_COUNTED_MS = 30 * 24 * 60 * 60 * 1_000;

/** A reseller says that it will send money, and gets a reference for the payment. No money moves. */
export async function requestDeposit(
  { db, clock }: { db: Db; clock: Clock },
  tenant: Tenant,
  request: DepositRequest,
  by: By,
): Promise<{ deposit: Deposit; replayed: boolean }> {
  const { amountMinor, idempotencyKey } = request;
  if (amountMinor <= 0n || amountMinor > AMOUNT_MAX_MINOR)
    throw invalid("amount", "The amount must be a positive number of minor units.");
  const note = readNote(request.note);
  return db.transaction(async (tx) => {
    const findBound = async () =>
      idempotencyKey === undefined ? undefined : findByKey(tx, tenant, idempotencyKey);
    const bound = await findBound();
    if (bound) return { deposit: replay(bound, amountMinor, note), replayed: true };
    await refuseTooMany(tx, clock, tenant);
    const wallet = await findWallet(tx, tenant);
    if (!wallet) throw new Error("a tenant without a wallet");
    const { resellerId, environment } = tenant;
    const deposit = await insertDeposit(tx, {
      ...{ id: idsOf(clock)("dep"), resellerId, environment, currency: wallet.currency, amountMinor, note },
      reference: createReference(environment),
      actorKind: by.actor.kind,
      actorId: by.actor.id,
      createdAt: clock.now(),
      idempotencyKey,
    });
    if (!deposit) {
      const first = await findBound();
      if (!first) throw new Error("the deposit was not stored");
      return { deposit: replay(first, amountMinor, note), replayed: true };
    }
    await recordActivity(tx, clock, {
      ...by,
      action: "deposit.requested",
      object: { kind: "deposit", id: deposit.id },
      ...tenant,
      after: {
        amount: `${formatAmount(amountMinor, wallet.currency)} ${wallet.currency}`,
        reference: deposit.reference,
        ...(note === null ? {} : { note }),
      },
    });
    return { deposit, replayed: false };
  });
}

function replay(bound: Deposit, amountMinor: bigint, note: string | null): Deposit {
  if (bound.amountMinor !== amountMinor || bound.note !== note)
    throw new Problem(
      "idempotency_conflict",
      "This Idempotency-Key belongs to a deposit with another amount or note. Use a new key.",
    );
  return bound;
}

async function refuseTooMany(tx: Tx, clock: Clock, tenant: Tenant): Promise<void> {
  const since = firstIdAt("dep", clock.now().getTime() - REQUESTED_COUNTED_MS);
  if ((await countRequested(tx, tenant, since)) >= REQUESTED_MAX)
    throw new Problem(
      "deposit_limit_reached",
      `${REQUESTED_MAX} deposits of the last 30 days wait for their payment. Use the reference of one of them.`,
    );
}

function readNote(text: string | undefined): string | null {
  const note = text?.trim() ?? "";
  if (note === "") return null;
  if ([...note].length > DEPOSIT_NOTE_MAX_CHARACTERS)
    throw invalid("note", `The note can have at most ${DEPOSIT_NOTE_MAX_CHARACTERS} characters.`);
  try {
    assertPlainText("the note", note);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalid("note", `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`);
  }
  return note;
}

const invalid = (field: string, detail: string): Problem =>
  new Problem("invalid_request", detail, {
    errors: [{ pointer: `/${field}`, code: "invalid", detail }],
  });
