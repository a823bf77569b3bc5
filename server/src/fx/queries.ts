import sql from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import type { FxRate } from "./fx-rate.ts";

const columns = sql`id, base, quote, rate::text as rate, source, supplier_id as "supplierId", at, until`;

/** The newest rate of each source for each pair, without feeds that are switched off: at most a few hundred rows. */
export const listCurrentRates = (db: Queryable) =>
  db.rows<FxRate>(sql`
    select ${columns} from (
      select distinct on (source, supplier_id, base, quote) *
      from fx_rates order by source, supplier_id, base, quote, at desc, id desc
    ) newest
    where supplier_id is null or supplier_id in (select s.id from suppliers s where s.feeds_rates)
    order by base, quote, source, supplier_id`);

/**
 * The rates that were known at some time between these two: the newest of each source and pair at the first, and all that came
 * until the last. Feeds that are switched off now are left out.
 */
export const listRatesBetween = (db: Queryable, first: Date, last: Date) =>
  db.rows<FxRate & { createdAt: Date }>(sql`
    select ${columns}, created_at as "createdAt" from (
      (
        select distinct on (source, supplier_id, base, quote) *
        from fx_rates where created_at <= ${first} order by source, supplier_id, base, quote, at desc, id desc
      )
      union all
      select * from fx_rates where created_at > ${first} and created_at <= ${last}
    ) known
    where supplier_id is null or supplier_id in (select s.id from suppliers s where s.feeds_rates)`);

export type NewRate = Omit<FxRate, "id">;

/** A reference rate that is known already is not written again: a file can be imported twice. */
export const insertRates = (tx: Tx, rates: readonly NewRate[], now: Date) =>
  tx.rows<FxRate>(sql`
    insert into fx_rates (base, quote, rate, source, supplier_id, at, until, created_at)
    select base, quote, rate, source, supplier_id, at, until, ${now}
    from unnest(
      ${rates.map((one) => one.base)}::text[], ${rates.map((one) => one.quote)}::text[],
      ${rates.map((one) => one.rate)}::numeric[], ${rates.map((one) => one.source)}::text[],
      ${rates.map((one) => one.supplierId)}::text[], ${rates.map((one) => one.at)}::timestamptz[],
      ${rates.map((one) => one.until)}::timestamptz[]
    ) as one (base, quote, rate, source, supplier_id, at, until)
    where source <> 'reference' or not exists (
      select from fx_rates f
      where f.source = 'reference' and f.base = one.base and f.quote = one.quote and f.at >= one.at and f.rate = one.rate
        and f.supplier_id is null
    )
    returning ${columns}`);
