import sql, { raw } from "sql-template-tag";
import type { Db } from "../../src/db/database.ts";

/** In whatever way digits are grouped: 133713, 1,337.13, 0.133713. */
export const PLANTED = /planted|1[.,]?3[.,]?3[.,]?7[.,]?1[.,]?3/i;
export const PLANTED_MINOR = 133_713n;

/**
 * Columns of the operator's own tables that need no planted word: ids and words that resellers know anyway, counts, and what says
 * nothing by itself. Every other column that can hold a text or a number must hold a planted one, so a new column is not forgotten.
 */
export const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  suppliers: [
    ...["kind", "rate_per_second", "consecutive_failures", "balance_currency", "disabled_reason"],
    ...["headroom_bp", "overcharge_times", "overcharge_above_bp"],
    ...["not_found_times", "not_found_over_ms", "resend_after_ms", "not_made_per_hour"],
  ],
  stock_batches: ["product_id", "code_count", "cost_currency", "actor_kind"],
  supplier_routes: [
    ...["product_id", "priority", "cost_currency", "paused_reason", "paused_currency", "paused_order_id"],
    ...["paused_line_index", "paused_unit_index", "paused_attempt"],
  ],
  supplier_attempts: [
    ...["not_found_looks", "not_found_state"],
    ...[
      "order_id",
      "line_index",
      "unit_index",
      "number",
      "environment",
      "product_id",
      "cost_currency",
      "status",
    ],
    ...["failure_code", "doubted_failure_code", "sends", "looks", "supplier_price_currency"],
    ...["send_http_status", "look_http_status", "told_state"],
  ],
  supplier_reversals: ["order_id", "line_index", "unit_index", "number"],
  supplier_syncs: ["unchanged", "odd_count"],
  price_rules: ["who", "what", "country", "currency", "kind", "rounding"],
  price_proposals: ["id", "product_id", "reseller_id", "currency"],
  withheld_prices: ["product_id", "reseller_id", "currency"],
  fx_rates: ["id", "base", "quote", "source"],
  rate_sources: [],
  loss_stops: ["product_id", "order_id"],
  bank_lines: ["deposit_id", "currency", "actor_kind"],
};

/** Planted words in every table of suppliers, costs, rules, rates and bank statements, beside what a sale has written there. */
export const plantMargin = (
  db: Db,
  about: { supplierId: string; orderId: string; productId: string; depositId: string },
): Promise<void> =>
  db.transaction(async (tx) => {
    const { supplierId, orderId, productId, depositId } = about;
    const now = new Date();
    // The rows need not make sense to the guards.
    await tx.rows(raw("set local session_replication_role = replica"));
    await tx.rows(sql`
      update suppliers set balance_minor = ${PLANTED_MINOR}, balance_currency = 'USD', balance_low_minor = ${PLANTED_MINOR},
             balance_at = ${now}, feeds_rates = true, disabled_purchase = '{"charged": "planted"}'
      where id = ${supplierId}`);
    await tx.rows(sql`
      update supplier_routes
      set max_cost_minor = ${PLANTED_MINOR}, buy_value = '1337.13', field_map = '{"playerId": "planted_field"}',
          paused_at = ${now}, paused_reason = 'overcharged', paused_expected_minor = ${PLANTED_MINOR},
          paused_limit_minor = ${PLANTED_MINOR}, paused_charged_minor = ${PLANTED_MINOR}, paused_currency = 'USD',
          paused_order_id = ${orderId}, paused_line_index = 0, paused_unit_index = 0, paused_attempt = 1
      where supplier_id = ${supplierId}`);
    await tx.rows(sql`
      update supplier_attempts set buy_value = '1337.13', field_map = '{"playerId": "planted_field"}', chosen = 'planted reason',
             send_answer = 'planted_answer', look_answer = 'planted_answer', look_http_status = 599,
             look_status_word = 'planted-word', send_status_word = 'planted-word', told_upstream_id = 'planted-id', max_cost_minor = ${PLANTED_MINOR}
      where supplier_id = ${supplierId}`);
    await tx.rows(sql`
      insert into supplier_reversals (order_id, line_index, unit_index, number, supplier_id, found_at)
      values (${orderId}, 0, 0, 1, ${supplierId}, ${now})`);
    await tx.rows(sql`
      insert into supplier_syncs (supplier_id, proposed_at, items, left_out, odd)
      values (${supplierId}, ${now}, '[{"name": "planted item"}]', '{"planted": 1}', '[{"name": "planted row"}]')`);
    await tx.rows(sql`
      insert into price_rules (id, who, who_id, what, what_id, currency, kind, value_bp, add_amount, min_margin_bp, min_amount, created_at)
      values ('rul_planted', 'list', 'planted list', 'category', 'planted category', '', 'over_cost', ${PLANTED_MINOR}, 1337.13,
              ${PLANTED_MINOR}, 1337.13, ${now})`);
    await tx.rows(sql`
      insert into price_rules (id, who, who_id, what, what_id, currency, kind, amount, created_at)
      values ('rul_planted2', 'list', 'planted list', 'brand', 'planted brand', 'USD', 'fixed', 1337.13, ${now})`);
    await tx.rows(sql`
      insert into price_proposals (product_id, price_list, currency, old_minor, new_minor, landed_minor, basis, created_at)
      values (${productId}, 'planted list', 'USD', ${PLANTED_MINOR}, ${PLANTED_MINOR}, ${PLANTED_MINOR}, 'planted', ${now})`);
    await tx.rows(sql`
      insert into withheld_prices (product_id, price_list, currency, amount_minor, strike_minor, reason, withheld_at)
      values (${productId}, 'planted list', 'USD', ${PLANTED_MINOR}, ${PLANTED_MINOR}, 'planted_reason', ${now})`);
    await tx.rows(sql`
      insert into fx_rates (base, quote, rate, source, supplier_id, at, created_at)
      values ('USD', 'EUR', 0.133713, 'supplier', ${supplierId}, ${now}, ${now})`);
    await tx.rows(sql`insert into rate_sources (source, due_at) values (${supplierId}, ${now})`);
    await tx.rows(sql`
      insert into loss_stops (product_id, order_id, stopped_at) values (${productId}, ${orderId}, ${now})
      on conflict do nothing`);
    await tx.rows(sql`
      insert into stock_batches (id, product_id, supplier_id, code_count, cost_minor, cost_currency, actor_kind, actor_id,
                                 imported_at)
      values ('bat_planted', ${productId}, ${supplierId}, 1, ${PLANTED_MINOR}, 'USD', 'staff', 'stf_planted', ${now})`);
    await tx.rows(sql`
      insert into bank_lines (identity, deposit_id, account, entry_reference, booked_on, amount_minor, currency, payer, remittance,
                              recorded_at, actor_kind, actor_id)
      values (decode(repeat('ab', 32), 'hex'), ${depositId}, 'PLANTED-IBAN', 'planted-entry', ${now}, ${PLANTED_MINOR}, 'USD',
              'planted payer', 'planted remittance', ${now}, 'staff', 'stf_planted')`);
  });

/** Columns that hold neither a planted word nor an id of ours that resellers never see, and are not declared harmless. */
export async function findUnplanted(db: Db, supplierId: string): Promise<string[]> {
  const columns = await db.rows<{ table: string; column: string }>(sql`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = 'public' and table_name = any(${Object.keys(HARMLESS)}::text[])
      and data_type in ('text', 'jsonb', 'bigint', 'integer', 'smallint', 'numeric')
    order by table_name, ordinal_position`);
  const missing: string[] = [];
  for (const { table, column } of columns) {
    if (HARMLESS[table]?.includes(column)) continue;
    const rows = await db.rows<{ value: string }>(
      sql`select distinct ${raw(`"${column}"`)}::text as value from ${raw(`"${table}"`)} where ${raw(`"${column}"`)} is not null`,
    );
    const isPlanted = (value: string) => PLANTED.test(value) || value.includes(supplierId);
    if (!rows.some(({ value }) => isPlanted(value))) missing.push(`${table}.${column}`);
  }
  return missing;
}
