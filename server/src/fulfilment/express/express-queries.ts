import sql from "sql-template-tag";
import { fromTexts } from "../../db/column-arrays.ts";
import type { Tx } from "../../db/database.ts";
import type { NewOrder } from "./plan-express.ts";

/**
 * Locks orders that are due. Those that another worker has locked are skipped. What follows is read in later statements.
 *
 * Each of those finds few rows by their keys. From here to the end of the transaction their plans say so, whatever PostgreSQL
 * knows of the tables, and are kept: it would plan again for every short list, which takes longer than to run it.
 */
export const lockDueOrders = (tx: Tx, now: Date, limit: number) =>
  tx.rows<{ id: string; claims: number }>(
    sql`
      with settings as materialized (
        select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
               set_config('enable_mergejoin', 'off', true), set_config('enable_bitmapscan', 'off', true),
               set_config('plan_cache_mode', 'force_generic_plan', true)
      )
      select w.order_id as id, w.claims from settings
      cross join lateral (
        select order_id, claims from order_work where due_at <= ${now} order by due_at limit ${limit}
        for update skip locked
      ) w`,
    { name: "lock-due-orders" },
  );

type NewOrderRow = Omit<NewOrder, "lines" | "recipient"> & {
  lines: [lineIndex: number, productId: string, unitPriceMinor: number, quantity: number][];
} & ({ kid: string; publicKey: Buffer } | { kid: null; publicKey: null });

/**
 * Those of these orders that are live and still pending, in the given order. `is not distinct from` fits no index: with `=`, a plan
 * that was made while the tables were small walks through an index of all orders. Their keys stay current until the transaction
 * ends, as in `findRecipients`.
 */
export const readNewOrders = async (tx: Tx, ids: readonly string[]): Promise<NewOrder[]> => {
  const rows = await tx.rows<NewOrderRow>(
    sql`
      select o.id, o.reseller_id as "resellerId", o.environment, o.currency, o.reference, o.test_scenario as scenario,
             o.created_at as "createdAt", o.all_or_nothing as "allOrNothing", l.lines, k.kid, k.public_key as "publicKey"
      from unnest(${fromTexts(ids)}) with ordinality as asked (id, place)
      join orders o on o.id = asked.id
      cross join lateral (
        select json_agg(json_build_array(line_index, product_id, unit_price_minor, quantity) order by line_index) as lines
        from order_lines where order_id = o.id
      ) l
      left join lateral (
        select kid, public_key from encryption_keys
        where reseller_id = o.reseller_id and environment = o.environment and retired_at is null
        for share
      ) k on true
      where o.status is not distinct from 'pending' and o.environment is not distinct from 'live' and l.lines is not null
      order by asked.place`,
    { name: "read-new-orders" },
  );
  return rows.map(({ lines, kid, publicKey, ...order }) => ({
    ...order,
    recipient: kid === null ? undefined : { kid, publicKey },
    lines: lines.map(([lineIndex, productId, unitPriceMinor, quantity]) => ({
      lineIndex,
      productId,
      unitPriceMinor: BigInt(unitPriceMinor),
      quantity,
    })),
  }));
};
