import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import { upsertListPrices, upsertOwnPrices } from "./apply-queries.ts";

export type Proposal = {
  id: bigint;
  productId: string;
  /** Empty for the price of one reseller. */
  priceList: string;
  resellerId: string;
  currency: string;
  oldMinor: bigint | null;
  /** Null: the price goes, because no rule applies any more. */
  newMinor: bigint | null;
  landedMinor: bigint | null;
  basis: string;
  atFloor: boolean;
  createdAt: Date;
};

const columns = sql`
  id, product_id as "productId", price_list as "priceList", reseller_id as "resellerId", currency, old_minor as "oldMinor",
  new_minor as "newMinor", landed_minor as "landedMinor", basis, at_floor as "atFloor", created_at as "createdAt"`;

/** By id, which is the order in which they were made. */
export const listProposals = (db: Queryable, page: { afterId: bigint; limit: number }) =>
  db.rows<Proposal>(sql`
    select ${columns} from price_proposals where id > ${page.afterId} order by id limit ${page.limit}`);

export const countProposals = async (db: Queryable): Promise<{ count: number; lastId: bigint }> => {
  const [row] = await db.rows<{ count: number; lastId: bigint }>(sql`
    select count(*)::integer as count, coalesce(max(id), 0)::bigint as "lastId" from price_proposals`);
  return row ?? { count: 0, lastId: 0n };
};

/** The proposals with these ids, or all up to one. */
export type Chosen = { ids: readonly bigint[] } | { upToId: bigint };

const within = (chosen: Chosen): Sql =>
  "ids" in chosen ? sql`id = any(${chosen.ids}::bigint[])` : sql`id <= ${chosen.upToId}`;

/** The ids among these that are there, locked until the end of the transaction. */
export const lockProposals = async (tx: Tx, chosen: Chosen): Promise<number> => {
  const [row] = await tx.rows<{ count: number }>(sql`
    select count(*)::integer as count from (select from price_proposals where ${within(chosen)} for update) locked`);
  return row?.count ?? 0;
};

/** Each statement raises a revision, so the second table is written only if it has work. */
export async function writeProposed(tx: Tx, chosen: Chosen, now: Date): Promise<void> {
  const [counts] = await tx.rows<{ lists: boolean; own: boolean; gone: boolean }>(sql`
    select coalesce(bool_or(price_list <> ''), false) as lists, coalesce(bool_or(reseller_id <> ''), false) as own,
           coalesce(bool_or(new_minor is null), false) as gone
    from price_proposals where ${within(chosen)}`);
  const condition = sql`and ${within(chosen)}`;
  if (counts?.lists) await tx.rows(upsertListPrices(sql`price_proposals`, condition, now));
  if (counts?.own) await tx.rows(upsertOwnPrices(sql`price_proposals`, condition, now));
  if (counts?.gone) await deleteUnruled(tx, condition);
  await tx.rows(sql`
    delete from withheld_prices h using (select * from price_proposals where true ${condition}) q
    where h.product_id = q.product_id and h.price_list = q.price_list and h.reseller_id = q.reseller_id
      and h.currency = q.currency`);
  await tx.rows(sql`delete from price_proposals where true ${condition}`);
}

/** A price without a rule goes, unless a person set it meanwhile. */
async function deleteUnruled(tx: Tx, condition: Sql): Promise<void> {
  await tx.rows(sql`
    delete from list_prices p
    using (select * from price_proposals where new_minor is null and price_list <> '' ${condition}) q
    where p.product_id = q.product_id and p.price_list = q.price_list and p.currency = q.currency and not p.by_hand`);
  await tx.rows(sql`
    delete from reseller_prices p
    using (select * from price_proposals where new_minor is null and reseller_id <> '' ${condition}) q
    where p.reseller_id = q.reseller_id and p.product_id = q.product_id and not p.by_hand`);
}
