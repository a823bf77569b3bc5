import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import { getNotFoundRule } from "../../suppliers/look-ups/not-found-rule.ts";
import type { LookUpOutcome } from "../../suppliers/supplier.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import type { Books, Search } from "../judge/judge-answer.ts";
import type { Attempt } from "../take/order-work.ts";
import type { BuyDeps } from "./ask-supplier.ts";
import { referenceOf } from "./reference.ts";

/** A delivery that is older says little about what the books show now. */
const CONTROL_MAX_AGE_MS = 24 * 3_600_000;
/** They take turns, so that one that the supplier cannot tell about decides nothing for long. */
const CONTROLS_MAX = 3;

/**
 * Whether the supplier's books can be believed when they lack a purchase: at once, they must show another one that we know was
 * delivered there. It is looked up by our reference as well, because that is what was not found. Before the supplier's lag is over
 * nothing counts, and nothing is asked.
 */
export async function checkBooks(
  deps: BuyDeps,
  { supplierId, lastSentAt, looks, toldState, notFoundState }: Attempt,
  askedAt: Date,
): Promise<Search> {
  const { db, openSupplier } = deps;
  const rule = await getNotFoundRule(db, supplierId);
  const visibleBefore = new Date(askedAt.getTime() - rule.resendAfterMs);
  if ((lastSentAt ?? askedAt) > visibleBefore) return { askedAt, rule, books: "unread" };
  // They have shown the purchase itself.
  if (toldState !== null) return { askedAt, rule, books: "differ" };
  const controls = await listDelivered(db, supplierId, visibleBefore, askedAt);
  const control = controls[looks % Math.max(controls.length, 1)];
  // A supplier that has delivered nothing lately has no books that could be wrong. Books that were wrong are not whole because what
  // they lacked is too old by now.
  if (!control) return { askedAt, rule, books: notFoundState === "books_differ" ? "differ" : "agree" };
  const opened = await openSupplier(supplierId);
  const answer = await opened?.supplier.lookUp(referenceOf(control, control.number), undefined);
  return { askedAt, rule, books: booksOf(answer) };
}

/** Whatever a supplier says of a purchase, it has it. */
function booksOf(answer: LookUpOutcome | undefined): Books {
  switch (answer?.kind) {
    case "delivered":
    case "accepted":
      return "agree";
    case "refused":
      return answer.isUnheard || answer.isDoubted || answer.supplierFault ? "unread" : "agree";
    case "not_found":
      return "differ";
    default:
      return "unread";
  }
}

/** The newest purchases that were delivered there and must be visible by now. */
const listDelivered = (db: Queryable, supplierId: string, sentBefore: Date, now: Date) =>
  db.rows<UnitKey & { number: number }>(sql`
    select order_id as "orderId", line_index as "lineIndex", unit_index as "unitIndex", number
    from supplier_attempts
    where supplier_id = ${supplierId} and status = 'delivered' and last_sent_at <= ${sentBefore}
      and opened_at between ${new Date(now.getTime() - CONTROL_MAX_AGE_MS)} and ${now}
    order by opened_at desc, order_id desc, line_index, unit_index limit ${CONTROLS_MAX}`);
