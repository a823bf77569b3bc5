import sql, { raw } from "sql-template-tag";
import type { Db } from "../../../src/db/database.ts";

/** One line of the statement in so many is wrong, in these ways by turns. */
export const WRONG_EVERY = 100;
export const WRONGS = ["amount_differs", "duplicate", "reversal", "missing_there", "missing_here"] as const;
const FIRST_AT = "2030-01-15T00:00:00.000Z";

/** Purchases of 0.80 USD, one each second, without their orders: a statement is compared with nothing else. */
export const addBookedPurchases = (db: Db, supplierId: string, count: number): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.rows(raw("set local session_replication_role = replica"));
    await tx.rows(sql`
      insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                     cost_minor, cost_currency, status, upstream_id, opened_at, resolved_at)
      select 'ord_' || lpad(n::text, 26, '0'), 0, 0, 1, 'live', 'card', ${supplierId}, '77', 80, 'USD', 'delivered',
             n::text, ${FIRST_AT}::timestamptz + n * interval '1 second',
             ${FIRST_AT}::timestamptz + n * interval '1 second'
      from generate_series(0, ${count - 1}) n`);
  });

/** The same purchases as CSV, as the supplier has them, with one mistake in a hundred. */
export function writeSpoiltStatement(count: number): string {
  const rows = Array.from({ length: count }, (_, n) => {
    const wrong = n % WRONG_EVERY === 0 ? WRONGS[(n / WRONG_EVERY) % WRONGS.length] : undefined;
    const reference = `ord_${String(n).padStart(26, "0")}.0.0.1`;
    const time = new Date(Date.parse(FIRST_AT) + n * 1_000).toISOString();
    const row = (amount = "0.80", status = "completed") =>
      `${reference},${n},${amount},USD,${status},${time}\n`;
    if (wrong === "amount_differs") return row("0.93");
    if (wrong === "duplicate") return row() + row();
    if (wrong === "reversal") return row("0.80", "reversed");
    if (wrong === "missing_there") return "";
    if (wrong === "missing_here") return `${row()}ord_stranger.0.0.${n},s${n},0.80,USD,completed,${time}\n`;
    return row();
  });
  return `reference,id,amount,currency,status,time\n${rows.join("")}`;
}
