import type { By } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import { isDatabaseUnavailable } from "../db/database-errors.ts";
import type { Tenant } from "../http/caller.ts";
import type { Clock } from "../lib/clock.ts";
import { idsOf } from "../lib/ids.ts";
import { parseTypedAmount } from "../lib/money.ts";
import { bookMovement, checkNote, type Direction, type MovedFunds } from "./book-movement.ts";
import { lockWallet } from "./queries.ts";

export type MoveFundsInput = { direction: Direction; amount: string; note: string };

/** Credits or debits a wallet on behalf of the operator. The amount is decimal text, applied exactly or refused. */
export async function moveFunds(
  db: Db,
  clock: Clock,
  tenant: Tenant,
  { direction, amount, note }: MoveFundsInput,
  by?: By,
): Promise<MovedFunds> {
  checkNote(note);
  const entryId = idsOf(clock)("ent");
  const moving = db.transaction(async (tx) => {
    const head = await lockWallet(tx, tenant);
    if (!head) throw new RangeError(`${tenant.resellerId} has no ${tenant.environment} wallet`);
    const amountMinor = parseTypedAmount(amount, head.currency);
    return bookMovement(tx, clock, head, { entryId, direction, amountMinor, note, by });
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
