import { type Db, isDatabaseUnavailable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { Clock } from "../lib/clock.ts";
import { idsOf } from "../lib/ids.ts";
import { formatAmount, parseAmount } from "../lib/money.ts";
import { assertPlainText } from "../lib/plain-text.ts";
import { appendEntry, type WalletHead } from "./entry.ts";
import { insertEntry, lockWallet, updateWallet } from "./queries.ts";

export type MoveFundsInput = { direction: "credit" | "debit"; amount: string; note: string };
export type MovedFunds = { entryId: string; balanceMinor: bigint; currency: string };

const NOTE_MAX_CHARACTERS = 500;

/** Credits or debits a wallet on behalf of the operator. The amount is decimal text, applied exactly or refused. */
export async function moveFunds(
  db: Db,
  clock: Clock,
  tenant: Tenant,
  input: MoveFundsInput,
): Promise<MovedFunds> {
  if ([...input.note].length > NOTE_MAX_CHARACTERS)
    throw new RangeError(`a note can have at most ${NOTE_MAX_CHARACTERS} characters`);
  assertPlainText("a note", input.note);
  const now = clock.now();
  const entryId = idsOf(clock)("ent");
  const moving = db.transaction(async (tx) => {
    const head = await lockWallet(tx, tenant);
    if (!head) throw new RangeError(`${tenant.resellerId} has no ${tenant.environment} wallet`);
    const amountMinor = parseAmount(input.amount, head.currency);
    if (amountMinor === 0n) throw new RangeError("the amount is zero");
    const next = appendEntry(head, {
      id: entryId,
      type: input.direction === "credit" ? "deposit" : "adjustment",
      amountMinor: input.direction === "credit" ? amountMinor : -amountMinor,
      orderId: null,
      note: input.note === "" ? null : input.note,
      createdAt: now,
    });
    if (!next) throw cannotMove(head, input);
    await insertEntry(tx, next.entry);
    await updateWallet(tx, next.head);
    return { entryId, balanceMinor: next.head.balanceMinor, currency: head.currency };
  });
  return moving.catch((error) => {
    // A COMMIT whose response was lost may have succeeded. Treating it as a failure and retrying would pay twice.
    if (!isDatabaseUnavailable(error)) throw error;
    throw new Error(
      `lost the database connection; it is unknown whether ${entryId} was booked. Check the statement before you try again`,
      { cause: error },
    );
  });
}

function cannotMove(head: WalletHead, { direction, amount }: MoveFundsInput): RangeError {
  const holds = `${formatAmount(head.balanceMinor, head.currency)} ${head.currency}`;
  return direction === "debit"
    ? new RangeError(`the balance is ${holds}, less than ${amount}`)
    : new RangeError(`the balance is ${holds} and cannot grow by ${amount}`);
}
