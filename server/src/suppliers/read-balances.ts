import sql from "sql-template-tag";
import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db, Queryable } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { parseTypedAmount } from "../lib/money.ts";
import { getSupplier } from "./get-supplier.ts";
import type { OpenedSupplier } from "./open-suppliers.ts";
import type { SupplierPrice } from "./supplier.ts";

export type ReadBalancesDeps = {
  db: Db;
  clock: Clock;
  openSupplier: (supplierId: string) => Promise<OpenedSupplier | undefined>;
};

const READ_EVERY_MS = 5 * 60_000;

/**
 * Asks the next supplier for the operator's balance and stores the answer. Workers take turns: each supplier is asked once in
 * five minutes. Without an answer the last known balance stays, with its time. Returns whether more may be due.
 */
export async function readNextBalance({ db, clock, openSupplier }: ReadBalancesDeps): Promise<boolean> {
  const now = clock.now();
  const id = await claimDue(db, now);
  if (id === undefined) return false;
  const balance = (await (await openSupplier(id))?.supplier.readBalance?.())?.balance;
  if (balance) await storeBalance(db, id, balance, clock.now());
  return true;
}

const claimDue = async (db: Queryable, now: Date): Promise<string | undefined> => {
  const [row] = await db.rows<{ id: string }>(sql`
    update suppliers set balance_asked_at = ${now}
    where id = (
      select id from suppliers
      where enabled and not has_own_stock
        and coalesce(balance_asked_at, 'epoch') <= ${new Date(now.getTime() - READ_EVERY_MS)}
      order by balance_asked_at nulls first, id limit 1
      for no key update skip locked)
    returning id`);
  return row?.id;
};

export const storeBalance = (
  db: Queryable,
  id: string,
  { amountMinor, currency }: SupplierPrice,
  now: Date,
) =>
  db.rows(sql`
    update suppliers set balance_minor = ${amountMinor}, balance_currency = ${currency}, balance_at = ${now}
    where id = ${id}`);

export type BalanceState = {
  balanceMinor: bigint | null;
  currency: string | null;
  balanceAt: Date | null;
  lowMinor: bigint | null;
};

export const findBalance = async (db: Queryable, id: string): Promise<BalanceState | undefined> => {
  const [row] = await db.rows<BalanceState>(sql`
    select balance_minor as "balanceMinor", balance_currency as currency, balance_at as "balanceAt",
           balance_low_minor as "lowMinor"
    from suppliers where id = ${id}`);
  return row;
};

/** Below this amount an alert is raised. An empty text removes it. */
export async function setLowBalance(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  amount: string,
  by: By,
): Promise<void> {
  await getSupplier(db, id);
  const currency = (await findBalance(db, id))?.currency;
  if (amount !== "" && !currency)
    throw new RangeError("the supplier has not told its balance yet; it is asked every five minutes");
  const lowMinor = amount === "" || !currency ? null : parseTypedAmount(amount, currency);
  await db.transaction(async (tx) => {
    await tx.rows(sql`update suppliers set balance_low_minor = ${lowMinor} where id = ${id}`);
    await recordActivity(tx, clock, {
      ...by,
      action: "supplier.balance_alert_set",
      object: { kind: "supplier", id },
      after: { amount: amount === "" ? null : amount },
    });
  });
}
