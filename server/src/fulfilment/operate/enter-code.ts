import sql from "sql-template-tag";
import type { Db, Tx } from "../../db/database.ts";
import { errorCodeOf } from "../../db/database-errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { idsOf } from "../../lib/ids.ts";
import { secret } from "../../lib/secret.ts";
import { type Goods, identityOf } from "../../suppliers/goods.ts";
import { parseStockRow, type StockCells } from "../../suppliers/stock/stock-row.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import { endOrders } from "../end/end-orders.ts";
import { lowerOpenUnits } from "../end/end-queries.ts";
import { settleOutcomes } from "../settle/settle-outcomes.ts";
import { COMMAND, noteOf, type Operator, recordOrderAction } from "./operator.ts";
import { lockOrder } from "./operator-queries.ts";
import { isUnknown, type UnitRef } from "./unit-choice.ts";

export type EnterCodeDeps = {
  db: Db;
  clock: Clock;
  codeVault: CodeVault;
  digestCode: (text: string) => Buffer;
};
export type EnterCodeInput = { orderId: string; unit: UnitRef; goods: Goods };
export type EnteredCode = UnitRef & { orderId: string; supplierId: string };

/** What a person copies from the supplier's mail. Cells that are empty are absent. */
export type MailedCells = StockCells & { receipt: string };

/** Checked as a row of a stock file is. */
export function readMailedGoods(cells: MailedCells, now: Date): Goods | { faults: string[] } {
  const { receipt, ...stock } = cells;
  if (receipt !== "") {
    const isAlone = Object.values(stock).every((cell) => cell === "");
    return isAlone
      ? { type: "topup", receipt }
      : { faults: ["receipt: a top-up has a receipt and nothing else"] };
  }
  const read = parseStockRow(stock, now);
  return "goods" in read ? read.goods : read;
}

const UNIQUE_VIOLATION = "23505";

/**
 * Ends a unit with the code that its supplier's support sent by mail. The purchase must have no outcome yet. It is sealed and delivered like
 * any other code, and the last unit ends the order. What the supplier's API still sends for the unit goes to quarantine.
 */
export async function enterCode(
  deps: EnterCodeDeps,
  { orderId, unit, goods }: EnterCodeInput,
  by: Operator = COMMAND,
): Promise<EnteredCode> {
  const { db, clock, codeVault, digestCode } = deps;
  const identity = identityOf(goods);
  const digest = identity === undefined ? null : digestCode(identity);
  const enter = () =>
    db.transaction(async (tx) => {
      const order = await lockOrder(tx, orderId);
      if (!order) throw new RangeError(`there is no order ${orderId}`);
      const [now, ids] = [clock.now(), idsOf(clock)];
      const purchase = await findPurchase(tx, orderId, unit, now);
      if (!purchase)
        throw new RangeError(
          `line ${unit.lineIndex}, unit ${unit.unitIndex} of ${orderId} has no purchase without an outcome: no code can be entered for it`,
        );
      if ((goods.type === "topup") !== purchase.isTopUp)
        throw new RangeError(
          purchase.isTopUp ? "a top-up has a receipt and no code" : "a gift card has a code or a link",
        );
      if (digest && (await isSeen(tx, digest))) throw new RangeError(SEEN);
      const { productId, number, supplierId } = purchase;
      const outcome = {
        ...{ kind: "bought" as const, unit: { orderId, ...unit }, productId, number, supplierId },
        ...{ goods: secret(goods), digest, upstreamId: null, byHand: true as const },
      };
      const ended = await settleOutcomes(tx, codeVault, [outcome], ids, now);
      // While other units wait, a worker may be at them, and its lease stays its own.
      if (order.openUnits === 1) await endOrders(tx, codeVault, [orderId], ended, ids, now);
      else await lowerOpenUnits(tx, ended, now);
      await recordOrderAction(tx, clock, order, by, {
        action: "order.code_entered",
        after: { line: unit.lineIndex + 1, unit: unit.unitIndex + 1, ...noteOf(by) },
      });
      return { orderId, ...unit, supplierId };
    });
  return enter().catch((error: unknown) => {
    // Another unit got the same code in the same moment.
    throw errorCodeOf(error) === UNIQUE_VIOLATION ? new RangeError(SEEN) : error;
  });
}

const SEEN =
  "this code was seen before: it is in stock, in quarantine or delivered already; nothing was changed";

type Purchase = { productId: string; number: number; supplierId: string; isTopUp: boolean };

/** The purchase of a unit that waits, if it has no outcome: its supplier sold it and sent no code, or has not said the end for a minute. */
const findPurchase = async (
  tx: Tx,
  orderId: string,
  { lineIndex, unitIndex }: UnitRef,
  now: Date,
): Promise<Purchase | undefined> => {
  const [row] = await tx.rows<Purchase>(sql`
    select a.product_id as "productId", a.number, a.supplier_id as "supplierId", p.type = 'top_up' as "isTopUp"
    from supplier_attempts a
    join order_units u on u.order_id = a.order_id and u.line_index = a.line_index and u.unit_index = a.unit_index
    join products p on p.id = a.product_id
    where a.order_id = ${orderId} and a.line_index = ${lineIndex} and a.unit_index = ${unitIndex}
      and a.status = 'open' and a.written_off_at is null and u.status = 'waiting'
      and (a.told_state = 'sold' or ${isUnknown(now)})`);
  return row;
};

/** A code in quarantine counts too: it was sold for another purchase. */
const isSeen = async (tx: Tx, digest: Buffer): Promise<boolean> => {
  const [row] = await tx.rows<{ isSeen: boolean }>(sql`
    select exists (select from codes where digest = ${digest} and state <> 'quarantined')
      or exists (select from codes where digest = ${digest} and state = 'quarantined') as "isSeen"`);
  return row?.isSeen === true;
};
