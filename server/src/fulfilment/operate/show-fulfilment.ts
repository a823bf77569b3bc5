import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { OrderScenario } from "../../sandbox/scenarios.ts";
import { referenceOf } from "../buy/reference.ts";
import { keptWords } from "./unit-choice.ts";
import { classOf, type KeptWords, type SaidClass } from "./what-was-said.ts";

/** How many purchases of an order are shown; the newest first. */
const ATTEMPTS_SHOWN_MAX = 200;

export type ShownAttempt = Omit<KeptWords, "failureCode" | "toldState"> & {
  lineIndex: number;
  unitIndex: number;
  reference: string;
  supplierId: string;
  status: string;
  failureCode: string | null;
  /** What its supplier has said, of one without an outcome. */
  said?: SaidClass;
  /** Its id of the purchase, also where it was not believed. */
  upstreamId: string | null;
  byHand: boolean;
  openedAt: Date;
  resolvedAt: Date | null;
  writtenOffAt: Date | null;
};

export type ShownFulfilment = {
  refundHeld: boolean;
  /** The X-Test-Scenario of a sandbox order. */
  testScenario?: OrderScenario;
  attempts: ShownAttempt[];
};

/** For the operator: what was tried for an order, and whether its refund is on hold. Never a code. */
export async function showFulfilment(db: Queryable, orderId: string): Promise<ShownFulfilment> {
  const [order] = await db.rows<{ refundHeld: boolean; testScenario: OrderScenario | null }>(sql`
    select refund_held as "refundHeld", test_scenario as "testScenario" from orders where id = ${orderId}`);
  const rows = await db.rows<ShownAttempt & Pick<KeptWords, "toldState"> & { number: number }>(sql`
    select line_index as "lineIndex", unit_index as "unitIndex", number, supplier_id as "supplierId", status,
           failure_code as "failureCode", ${keptWords}, coalesce(upstream_id, told_upstream_id) as "upstreamId",
           by_hand as "byHand", opened_at as "openedAt", resolved_at as "resolvedAt", written_off_at as "writtenOffAt"
    from supplier_attempts a where order_id = ${orderId}
    order by opened_at desc, line_index, unit_index limit ${ATTEMPTS_SHOWN_MAX}`);
  return {
    refundHeld: order?.refundHeld ?? false,
    ...(order?.testScenario ? { testScenario: order.testScenario } : {}),
    attempts: rows.map(({ number, toldState, ...attempt }) => ({
      ...attempt,
      ...(attempt.status === "open" ? { said: classOf({ toldState }) } : {}),
      reference: referenceOf({ orderId, ...attempt }, number),
    })),
  };
}
