import { Refusal } from "../accounts/refusal.ts";
import { type By, recordActivity } from "../activity/record-activity.ts";
import { assertPlainText } from "../lib/plain-text.ts";
import { queueNotice } from "../mail/queue-notice.ts";
import { refuseAt } from "../wallet/proposals/request-movement.ts";
import { type Deposit, nextDeposit } from "./deposit.ts";
import { rejectedLetter } from "./deposit-letters.ts";
import { markRejected } from "./deposit-queries.ts";
import { accepted, type DepositDeps, lockOpen, lockPerson } from "./receive-deposit.ts";

export const REASON_MAX_CHARACTERS = 500;

/** Ends a deposit without a credit. The reseller reads the reason. Money that has arrived goes back outside of Scrip. */
export async function rejectDeposit(
  { db, clock }: DepositDeps,
  id: string,
  reason: string,
  by: By,
): Promise<Deposit> {
  const why = readReason(reason);
  return db.transaction(async (tx) => {
    const deposit = await lockOpen(tx, id);
    await lockPerson(tx, by);
    accepted(nextDeposit(deposit, { kind: "reject" }));
    const rejected = await markRejected(tx, id, { reason: why, at: clock.now() });
    const { resellerId, environment } = deposit;
    await recordActivity(tx, clock, {
      ...by,
      action: "deposit.rejected",
      object: { kind: "deposit", id },
      resellerId,
      environment,
      before: { status: deposit.status },
      after: { reason: why, reference: deposit.reference },
    });
    if (environment === "live")
      await queueNotice(tx, resellerId, "deposit", rejectedLetter(rejected, why), clock.now());
    return rejected;
  });
}

function readReason(text: string): string {
  const reason = text.trim();
  if (reason === "" || [...reason].length > REASON_MAX_CHARACTERS)
    throw new Refusal(
      "reason_needed",
      `Say why, in 1 to ${REASON_MAX_CHARACTERS} characters. The reseller reads it.`,
      "reason",
    );
  refuseAt("reason", () => assertPlainText("a reason", reason));
  return reason;
}
