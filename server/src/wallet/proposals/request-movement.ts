import { lockStaff } from "../../accounts/people/lock-staff.ts";
import { Refusal } from "../../accounts/refusal.ts";
import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { Db, Queryable, Tx } from "../../db/database.ts";
import { isDatabaseUnavailable } from "../../db/database-errors.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { idsOf } from "../../lib/ids.ts";
import { type AmountLimits, formatAmount, limitIn, parseTypedAmount } from "../../lib/money.ts";
import { Problem } from "../../lib/problem.ts";
import { bookMovement, checkNote, type Direction, type MovedFunds } from "../book-movement.ts";
import type { WalletHead } from "../entry.ts";
import type { MoveFundsInput } from "../move-funds.ts";
import { findWallet, lockWallet } from "../queries.ts";
import { PROPOSAL_LIFE_MS, type Proposal, toProposal } from "./proposal.ts";
import { insertProposal } from "./proposal-queries.ts";

/** `dualControl`: above these amounts a second person approves. Undefined asks for nobody. */
export type MovementDeps = { db: Db; clock: Clock; dualControl: AmountLimits | undefined };

/** What a movement would do now. Nothing is written. */
export type MovementPreview = Tenant & {
  direction: Direction;
  amountMinor: bigint;
  currency: string;
  balanceBeforeMinor: bigint;
  balanceAfterMinor: bigint;
  /** Set where a second person has to approve: the amount up to which one person is enough. */
  approvalAboveMinor: bigint | undefined;
};

export const MOVEMENT_NOTE_MAX_CHARACTERS = 300;

export async function previewMovement(
  { db, dualControl }: Pick<MovementDeps, "dualControl"> & { db: Queryable },
  tenant: Tenant,
  input: MoveFundsInput,
): Promise<MovementPreview> {
  const wallet = await findWallet(db, tenant);
  if (!wallet) throw noWallet();
  readNote(input.note);
  const { currency, balanceMinor } = wallet;
  const amountMinor = readAmount(input.amount, currency);
  const change = input.direction === "credit" ? amountMinor : -amountMinor;
  if (balanceMinor + change < 0n) throw tooLittle(balanceMinor, currency);
  return {
    ...tenant,
    direction: input.direction,
    amountMinor,
    currency,
    balanceBeforeMinor: balanceMinor,
    balanceAfterMinor: balanceMinor + change,
    approvalAboveMinor: approvalAbove(dualControl, tenant, currency, amountMinor),
  };
}

/**
 * Credits or debits a wallet for a person of the staff: at once, or above the limit of dual control as a proposal that another
 * person approves. Which of the two is decided under the wallet's lock, with what the person was told or without.
 */
export async function requestMovement(
  deps: MovementDeps,
  tenant: Tenant,
  input: MoveFundsInput,
  by: By,
): Promise<{ moved: MovedFunds } | { proposed: Proposal }> {
  const note = readNote(input.note);
  const entryId = idsOf(deps.clock)("ent");
  const moving = deps.db.transaction(async (tx) => {
    await lockStaff(tx, [by.actor.id], "wallets.manage");
    const head = await lockWallet(tx, tenant);
    if (!head) throw noWallet();
    const amountMinor = readAmount(input.amount, head.currency);
    const movement = { direction: input.direction, amountMinor, note, by };
    if (approvalAbove(deps.dualControl, tenant, head.currency, amountMinor) !== undefined)
      return { proposed: await propose(tx, deps.clock, head, movement) };
    return { moved: await refusing(() => bookMovement(tx, deps.clock, head, { ...movement, entryId })) };
  });
  return moving.catch((error) => {
    if (!isDatabaseUnavailable(error)) throw error;
    throw new Problem(
      "service_unavailable",
      `The connection to the database was lost. It is unknown whether ${entryId} was booked. Check the movements before you try again.`,
      { cause: error },
    );
  });
}

export type StaffMovement = {
  direction: Direction;
  amountMinor: bigint;
  note: string;
  by: By;
  /** The deposit that a credit is for. */
  depositId?: string | undefined;
};

/** Writes a proposal in the transaction that has locked the person and the wallet. */
export async function propose(
  tx: Tx,
  clock: Clock,
  head: WalletHead,
  { direction, amountMinor, note, by, depositId }: StaffMovement,
): Promise<Proposal> {
  const now = clock.now();
  const { resellerId, environment, currency } = head;
  if (direction === "debit" && head.balanceMinor < amountMinor) throw tooLittle(head.balanceMinor, currency);
  const row = await insertProposal(tx, {
    ...{ id: idsOf(clock)("prp"), resellerId, environment, direction, amountMinor, currency, note },
    proposedBy: by.actor.id,
    depositId: depositId ?? null,
    proposedAt: now,
    expiresAt: new Date(now.getTime() + PROPOSAL_LIFE_MS),
  });
  if (!row) throw new Error("the proposal was not stored");
  // Nothing has happened to the reseller yet, so it is in the operator's log alone.
  await recordActivity(tx, clock, {
    ...by,
    action: "movement.proposed",
    object: { kind: "proposal", id: row.id },
    environment,
    after: {
      ...{ reseller: resellerId, direction, note },
      ...(depositId === undefined ? {} : { depositId }),
      amount: `${formatAmount(amountMinor, currency)} ${currency}`,
      expiresAt: row.expiresAt.toISOString(),
    },
  });
  return toProposal(row, now);
}

/** The amount up to which one person is enough, where this amount takes two. Test money is no money: it takes one person. */
export function approvalAbove(
  dualControl: AmountLimits | undefined,
  { environment }: Tenant,
  currency: string,
  amountMinor: bigint,
): bigint | undefined {
  if (dualControl === undefined || environment !== "live") return undefined;
  const limit = limitIn(dualControl, currency);
  return amountMinor > limit ? limit : undefined;
}

function readAmount(text: string, currency: string): bigint {
  const amountMinor = refuseAt("amount", () => parseTypedAmount(text.trim(), currency));
  if (amountMinor === 0n) throw new Refusal("amount_invalid", "The amount is zero.", "amount");
  return amountMinor;
}

function readNote(text: string): string {
  const note = text.trim();
  if (note === "") throw new Refusal("amount_invalid", "Write a note. The reseller sees it.", "note");
  return refuseAt("note", () => checkNote(note, MOVEMENT_NOTE_MAX_CHARACTERS));
}

const noWallet = (): Refusal => new Refusal("not_found", "There is no such wallet.");

const tooLittle = (balanceMinor: bigint, currency: string): Refusal =>
  new Refusal(
    "amount_invalid",
    `The balance is ${formatAmount(balanceMinor, currency)} ${currency}. It cannot go below zero.`,
    "amount",
  );

export function refuseAt<Value>(field: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Refusal("amount_invalid", sentence(error.message), field);
  }
}

/** What the ledger refuses, as a sentence at the amount. */
export async function refusing<Value>(book: () => Promise<Value>): Promise<Value> {
  try {
    return await book();
  } catch (error) {
    if (!(error instanceof RangeError) || error instanceof Refusal) throw error;
    throw new Refusal("amount_invalid", sentence(error.message), "amount");
  }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
