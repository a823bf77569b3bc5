import type { Queryable } from "../db/database.ts";
import { toSafeInteger } from "../lib/money.ts";
import { listShownLines } from "./bank/bank-queries.ts";
import type { Deposit } from "./deposit.ts";
import { findDeposit, listByReferences } from "./deposit-queries.ts";
import { noDeposit } from "./receive-deposit.ts";
import { readReference } from "./reference.ts";

/** A deposit by its id or by its reference, as the operator has it. */
export async function getDeposit(db: Queryable, idOrReference: string): Promise<Deposit> {
  const reference = readReference(idOrReference);
  const found =
    reference === undefined
      ? await findDeposit(db, idOrReference)
      : (await listByReferences(db, [reference]))[0];
  if (!found) throw noDeposit();
  return found;
}

/** What the bank said about a deposit. */
export async function findDepositLines(db: Queryable, depositId: string) {
  const lines = await listShownLines(db, depositId);
  return lines.map(({ account, entryReference, payer, ...line }) => ({
    bookedOn: line.bookedOn,
    amount: toSafeInteger(line.amountMinor),
    currency: line.currency,
    ...(account === "" ? {} : { account }),
    ...(entryReference === null ? {} : { entryReference }),
    ...(payer === null ? {} : { payer }),
    text: line.remittance,
    recordedAt: line.recordedAt.toISOString(),
  }));
}
export type DepositLine = Awaited<ReturnType<typeof findDepositLines>>[number];
