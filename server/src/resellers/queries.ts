import sql from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";

export type ResellerRow = {
  id: string;
  name: string;
  currency: string;
  email: string;
  priceList: string;
  rateLimitOrders: number | null;
  rateLimitReads: number | null;
  /** When it was frozen. A frozen reseller cannot place orders. */
  frozenAt: Date | null;
  /** Why, in words that the reseller sees. */
  frozenReason: string | null;
  createdAt: Date;
};

const resellerColumns = sql`
  id, name, currency, email, price_list as "priceList", rate_limit_orders as "rateLimitOrders",
  rate_limit_reads as "rateLimitReads", frozen_at as "frozenAt", frozen_reason as "frozenReason",
  created_at as "createdAt"`;

export type NewReseller = Pick<ResellerRow, "id" | "name" | "currency" | "email" | "priceList" | "createdAt">;

export const insertReseller = (db: Queryable, reseller: NewReseller) =>
  db.rows<ResellerRow>(sql`
    insert into resellers (id, name, currency, email, price_list, created_at)
    values (${reseller.id}, ${reseller.name}, ${reseller.currency}, ${reseller.email}, ${reseller.priceList},
            ${reseller.createdAt})
    returning ${resellerColumns}`);

export const listResellerRows = (db: Queryable) =>
  db.rows<ResellerRow>(sql`select ${resellerColumns} from resellers order by id`);

export const findReseller = async (db: Queryable, id: string): Promise<ResellerRow | undefined> => {
  const [row] = await db.rows<ResellerRow>(sql`select ${resellerColumns} from resellers where id = ${id}`);
  return row;
};

export const listResellerNames = (db: Queryable, ids: readonly string[]) =>
  db.rows<Pick<ResellerRow, "id" | "name">>(sql`select id, name from resellers where id = any(${ids})`);

/** Keeps the row as it is until the transaction ends. Placements, which only refer to it, do not wait. */
export const lockReseller = async (tx: Tx, id: string): Promise<ResellerRow | undefined> => {
  const [row] = await tx.rows<ResellerRow>(
    sql`select ${resellerColumns} from resellers where id = ${id} for no key update`,
  );
  return row;
};

/**
 * Another price list is a change of the catalog, which a trigger notes under this lock. Writers of prices take it before a
 * reseller's row too (`catalog/lock-catalog`).
 */
export const lockCatalogChanges = (tx: Tx) => tx.rows(sql`select from catalog_state for update`);

/** A reseller in a list, with what it has in one environment. */
export type ListedReseller = ResellerRow & { balanceMinor: bigint };

/** Newest first. A search finds an id, or a part of a name or address, in whatever case. */
export const searchResellerRows = (
  db: Queryable,
  environment: "live" | "test",
  { q, before, limit }: { q: string; before: string | undefined; limit: number },
) =>
  db.rows<ListedReseller>(sql`
    select found.*, w.balance_minor as "balanceMinor"
    from (
      select ${resellerColumns} from resellers
      where (${before ?? null}::text is null or id < ${before ?? null})
        and (${q} = '' or id = ${q} or strpos(lower(name), lower(${q})) > 0 or strpos(lower(email), lower(${q})) > 0)
      order by id desc limit ${limit}
    ) found
    join wallets w on w.reseller_id = found.id and w.environment = ${environment}
    order by found.id desc`);

/** Undefined leaves a limit unchanged; null restores the server's default. */
export const updateRateLimits = (
  db: Queryable,
  id: string,
  limits: { orders?: number | null; reads?: number | null },
) =>
  db.rows<ResellerRow>(sql`
    update resellers set
      rate_limit_orders = case when ${limits.orders !== undefined} then ${limits.orders ?? null}::integer else rate_limit_orders end,
      rate_limit_reads = case when ${limits.reads !== undefined} then ${limits.reads ?? null}::integer else rate_limit_reads end
    where id = ${id}
    returning ${resellerColumns}`);

export type ResellerChange = {
  name: string | undefined;
  email: string | undefined;
  priceList: string | undefined;
};

/** Undefined fields stay unchanged. */
export const updateReseller = (db: Queryable, id: string, change: ResellerChange) =>
  db.rows<ResellerRow>(sql`
    update resellers set
      name = coalesce(${change.name ?? null}, name),
      email = coalesce(${change.email ?? null}, email),
      price_list = coalesce(${change.priceList ?? null}, price_list)
    where id = ${id}
    returning ${resellerColumns}`);

export const updateFrozen = (db: Queryable, id: string, frozen: { at: Date; reason: string } | undefined) =>
  db.rows<ResellerRow>(sql`
    update resellers set frozen_at = ${frozen?.at ?? null}, frozen_reason = ${frozen?.reason ?? null}
    where id = ${id}
    returning ${resellerColumns}`);
