import type { Summary } from "../../activity/queries.ts";
import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { assertPlainText } from "../../lib/plain-text.ts";

/** Who acts on an order, and why. */
export type Operator = By & {
  reason?: string | undefined;
  /** A command can be repeated. A person, who decided by what a page said, is told if someone else was first. */
  isFirst?: boolean | undefined;
};

export const COMMAND: Operator = { actor: { kind: "command", id: "scrip order" } };

export const REASON_MAX_CHARACTERS = 500;

export function checkReason(what: string, reason: string): void {
  if (reason.trim() === "") throw new RangeError(`${what} needs a reason`);
  if ([...reason].length > REASON_MAX_CHARACTERS)
    throw new RangeError(`a reason has at most ${REASON_MAX_CHARACTERS} characters`);
  assertPlainText("a reason", reason);
}

/** Writes what was done to an order into the activity log, in the transaction in which it is done. */
export const recordOrderAction = (
  tx: Tx,
  clock: Clock,
  { id, resellerId, environment }: Tenant & { id: string },
  { actor, address }: Operator,
  done: { action: `order.${string}`; before?: Summary; after?: Summary },
): Promise<void> =>
  recordActivity(tx, clock, {
    actor,
    address,
    object: { kind: "order", id },
    resellerId,
    environment,
    ...done,
  });

/** A reason that the reseller does not see: staff may name a supplier in it. */
export const noteOf = ({ reason }: Operator): Summary =>
  reason === undefined || reason === "" ? {} : { staffNote: reason };
