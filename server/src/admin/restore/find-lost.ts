import sql from "sql-template-tag";
import type { Db } from "../../db/database.ts";
import type { EndedKey, LostDatabase } from "./lost-database.ts";

/** Money that a reseller spent in the lost database. */
export type LostSum = {
  resellerId: string;
  environment: string;
  currency: string;
  orders: number;
  totalMinor: bigint;
};

export type LostFacts = {
  /** Ids of orders that exist only in the lost database. Their debits are lost too. */
  orderIds: string[];
  sums: LostSum[];
  /** Orders that are unfinished here and were finished there: they are fulfilled a second time. */
  fulfilledAgain: string[];
  /** Keys that were revoked or replaced there and are valid here for longer. */
  revivedKeys: string[];
};

/** An order gets its time before it is committed, so one from shortly before the restore can be lost too. */
const MARGIN_MS = 10 * 60_000;
const ORDERS_AT_ONCE = 5_000;
const OPEN_AT_ONCE = 5_000;

/** What the restored database does not know. Nothing is changed. */
export async function findLost(db: Db, lost: LostDatabase, since: Date): Promise<LostFacts> {
  const orderIds: string[] = [];
  const sums = new Map<string, LostSum>();
  const from = new Date(since.getTime() - MARGIN_MS);
  for (let afterId = ""; ; ) {
    const page = await lost.listOrders(from, afterId, ORDERS_AT_ONCE);
    if (page.length === 0) break;
    const known = await findOrders(
      db,
      page.map(({ id }) => id),
    );
    for (const order of page) {
      if (known.has(order.id)) continue;
      orderIds.push(order.id);
      addUp(sums, order);
    }
    afterId = page.at(-1)?.id ?? "";
  }
  return {
    orderIds,
    sums: [...sums.values()],
    fulfilledAgain: await findFulfilledAgain(db, lost),
    revivedKeys: await findLiving(db, await lost.listEndedKeys()),
  };
}

function addUp(
  sums: Map<string, LostSum>,
  { resellerId, environment, currency, totalMinor }: Omit<LostSum, "orders">,
): void {
  const name = `${resellerId} ${environment} ${currency}`;
  const sum = sums.get(name) ?? { resellerId, environment, currency, orders: 0, totalMinor: 0n };
  sums.set(name, { ...sum, orders: sum.orders + 1, totalMinor: sum.totalMinor + totalMinor });
}

async function findOrders(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.rows<{ id: string }>(sql`select id from orders where id = any(${ids}::text[])`);
  return new Set(rows.map(({ id }) => id));
}

async function findFulfilledAgain(db: Db, lost: LostDatabase): Promise<string[]> {
  const again: string[] = [];
  for (let afterId = ""; ; ) {
    const open = await db.rows<{ id: string }>(sql`
      select order_id as id from order_work where order_id > ${afterId} order by order_id limit ${OPEN_AT_ONCE}`);
    if (open.length === 0) return again;
    again.push(...(await lost.findDelivered(open.map(({ id }) => id))));
    afterId = open.at(-1)?.id ?? "";
  }
}

async function findLiving(db: Db, ended: readonly EndedKey[]): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`
    select k.id
    from unnest(${ended.map(({ id }) => id)}::text[], ${ended.map(({ endsAt }) => endsAt)}::timestamptz[]) as one (id, ends_at)
    join api_keys k on k.id = one.id
    where k.revoked_at is null and (k.expires_at is null or k.expires_at > one.ends_at)
    order by k.id`);
  return rows.map(({ id }) => id);
}
