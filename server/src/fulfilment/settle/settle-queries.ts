import sql, { type Sql } from "sql-template-tag";
import type { Tx } from "../../db/database.ts";
import { ruleColumns, type StoredRule } from "../../suppliers/look-ups/not-found-rule.ts";
import type { SupplierPrice } from "../../suppliers/supplier.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import type { StoredSeal } from "../sealing/seal-to-reseller.ts";
import type { Settlement, SupplierSaid } from "./decide-settlement.ts";

/** An order, and the token of its lease. */
export type Lease = { orderId: string; token: string };

/**
 * Locks the orders whose lease is still the worker's own, and returns those leases. The row of work is locked before the
 * order, in order of id, as in every change of orders. It waits for other holders; what follows is read in later statements.
 */
export const lockTakenOrders = (tx: Tx, leases: readonly Lease[]) =>
  tx.rows<Lease>(
    sql`
      select w.order_id as "orderId", w.lease_token as token
      from unnest(${leases.map((one) => one.orderId)}::text[], ${leases.map((one) => one.token)}::uuid[])
        as mine (order_id, token)
      join order_work w on w.order_id = mine.order_id and w.lease_token = mine.token
      join orders o on o.id = w.order_id
      order by w.order_id
      for update of w, o`,
    { name: "lock-taken-orders" },
  );

/**
 * With the attempts that a code can still arrive for, if any. `entered`: a person has entered the code, and the supplier has sent none
 * since.
 */
export type UnitState = UnitKey & {
  status: string;
  attempts: { number: number; state: "open" | "not_made" | "entered" }[] | null;
};

export const readUnitStates = (tx: Tx, units: readonly UnitKey[]) =>
  tx.rows<UnitState>(
    sql`
      select u.order_id as "orderId", u.line_index as "lineIndex", u.unit_index as "unitIndex", u.status,
             a.attempts
      from ${unitRows(units)} as asked (order_id, line_index, unit_index)
      join order_units u using (order_id, line_index, unit_index)
      left join lateral (
        select json_agg(json_build_object('number', a.number, 'state', case when a.by_hand then 'entered' else a.status end))
          as attempts
        from supplier_attempts a
        where a.order_id = u.order_id and a.line_index = u.line_index and a.unit_index = u.unit_index
          and (a.status in ('open', 'not_made') or a.by_hand and not exists (
            select from codes c where c.supplier_id = a.supplier_id and c.state = 'quarantined' and c.quarantine_reason <> 'incomplete'
              and c.order_id = u.order_id and c.line_index = u.line_index and c.unit_index = u.unit_index
          ))
      ) a on true`,
    { name: "read-unit-states" },
  );

export const findKnownDigests = async (tx: Tx, digests: readonly Buffer[]): Promise<string[]> => {
  const rows = await tx.rows<{ digest: Buffer }>(sql`
    select digest from codes where digest = any(${digests}::bytea[]) and state <> 'quarantined'`);
  return rows.map((row) => row.digest.toString("hex"));
};

export type SealedCode = {
  id: string;
  environment: "live" | "test";
  type: string;
  sealed: Buffer | null;
  kid: string | null;
  enc: Buffer | null;
  ciphertext: Buffer | null;
  testCode: string | null;
  supplierId: string | null;
  digest: Buffer | null;
  expiresAt: string | null;
};

export const insertCodes = (
  tx: Tx,
  codes: readonly (UnitKey & SealedCode & { productId: string; quarantineReason: string | null })[],
  now: Date,
) =>
  tx.rows(
    sql`
      insert into codes (id, environment, product_id, supplier_id, state, type, sealed, test_code, digest, expires_at,
                         order_id, line_index, unit_index, delivered_at, quarantine_reason, created_at, kid, enc,
                         ciphertext)
      select id, environment, product_id, supplier_id, case when reason is null then 'delivered' else 'quarantined' end,
             type, sealed, test_code, digest, expires_at, order_id, line_index, unit_index,
             case when reason is null then ${now}::timestamptz end, reason, ${now}, kid, enc, ciphertext
      from unnest(
        ${codes.map((one) => one.id)}::text[], ${codes.map((one) => one.environment)}::text[],
        ${codes.map((one) => one.productId)}::text[], ${codes.map((one) => one.supplierId)}::text[],
        ${codes.map((one) => one.type)}::text[], ${codes.map((one) => one.sealed)}::bytea[],
        ${codes.map((one) => one.testCode)}::text[], ${codes.map((one) => one.digest)}::bytea[],
        ${codes.map((one) => one.expiresAt)}::timestamptz[], ${codes.map((one) => one.orderId)}::text[],
        ${codes.map((one) => one.lineIndex)}::smallint[], ${codes.map((one) => one.unitIndex)}::integer[],
        ${codes.map((one) => one.quarantineReason)}::text[], ${codes.map((one) => one.kid)}::text[],
        ${codes.map((one) => one.enc)}::bytea[], ${codes.map((one) => one.ciphertext)}::bytea[]
      ) as one (id, environment, product_id, supplier_id, type, sealed, test_code, digest, expires_at, order_id,
                line_index, unit_index, reason, kid, enc, ciphertext)`,
    { name: "insert-codes" },
  );

export const deliverStock = (tx: Tx, codes: readonly (UnitKey & { id: string } & StoredSeal)[], now: Date) =>
  tx.rows(
    sql`
      update codes c
      set state = 'delivered', sealed = one.sealed, order_id = one.order_id, line_index = one.line_index,
          unit_index = one.unit_index, delivered_at = ${now}, kid = one.kid, enc = one.enc,
          ciphertext = one.ciphertext
      from unnest(
        ${codes.map((one) => one.id)}::text[], ${codes.map((one) => one.sealed)}::bytea[],
        ${codes.map((one) => one.orderId)}::text[], ${codes.map((one) => one.lineIndex)}::smallint[],
        ${codes.map((one) => one.unitIndex)}::integer[], ${codes.map((one) => one.kid)}::text[],
        ${codes.map((one) => one.enc)}::bytea[], ${codes.map((one) => one.ciphertext)}::bytea[]
      ) as one (id, sealed, order_id, line_index, unit_index, kid, enc, ciphertext)
      where c.id = one.id and c.state = 'stock'`,
    { name: "deliver-stock" },
  );

/** Attempts that start and end in one transaction: those at the operator's own stock. */
export const insertEndedAttempts = (tx: Tx, attempts: Settlement["attemptsNew"], now: Date) =>
  tx.rows(
    sql`
      insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                     cost_minor, cost_currency, status, failure_code, opened_at, resolved_at, chosen)
      select order_id, line_index, unit_index, number, 'live', product_id, supplier_id, sku, cost_minor, cost_currency,
             case when failure_code is null then 'delivered' else 'refused' end, failure_code, ${now}, ${now}, chosen
      from unnest(
        ${attempts.map((one) => one.orderId)}::text[], ${attempts.map((one) => one.lineIndex)}::smallint[],
        ${attempts.map((one) => one.unitIndex)}::integer[], ${attempts.map((one) => one.number)}::smallint[],
        ${attempts.map((one) => one.productId)}::text[], ${attempts.map((one) => one.route.supplierId)}::text[],
        ${attempts.map((one) => one.route.sku)}::text[], ${attempts.map((one) => one.route.costMinor)}::bigint[],
        ${attempts.map((one) => one.route.costCurrency)}::text[], ${attempts.map((one) => one.failureCode)}::text[],
        ${attempts.map((one) => one.route.chosen)}::text[]
      ) as one (order_id, line_index, unit_index, number, product_id, supplier_id, sku, cost_minor, cost_currency,
                failure_code, chosen)`,
    { name: "insert-ended-attempts" },
  );

type Priced = { price: SupplierPrice | null };

const priceColumns = (attempts: readonly Priced[]): Sql => sql`
  ${attempts.map(({ price }) => price?.amountMinor ?? null)}::bigint[],
  ${attempts.map(({ price }) => price?.currency ?? null)}::text[]`;

/**
 * An answer without a price keeps an earlier price, unless a sale follows a doubted refusal: the price of the refusal was not
 * charged.
 */
const newPrice = (isSold: Sql): Sql => sql`
  supplier_price_minor = case when a.doubted_failure_code is not null and ${isSold} then one.price_minor
    else coalesce(one.price_minor, a.supplier_price_minor) end,
  supplier_price_currency = case when a.doubted_failure_code is not null and ${isSold} then one.price_currency
    else coalesce(one.price_currency, a.supplier_price_currency) end`;

const saidColumns = (attempts: readonly { said?: SupplierSaid | undefined }[]): Sql => sql`
  ${attempts.map(({ said }) => said?.send?.answer ?? null)}::text[],
  ${attempts.map(({ said }) => said?.send?.httpStatus ?? null)}::smallint[],
  ${attempts.map(({ said }) => said?.send?.word ?? null)}::text[],
  ${attempts.map(({ said }) => said?.look?.answer ?? null)}::text[],
  ${attempts.map(({ said }) => said?.look?.httpStatus ?? null)}::smallint[],
  ${attempts.map(({ said }) => said?.look?.word ?? null)}::text[],
  ${attempts.map(({ said }) => said?.look?.state ?? said?.send?.state ?? null)}::text[],
  ${attempts.map(({ said }) => said?.look?.upstreamId ?? said?.send?.upstreamId ?? null)}::text[]`;

const SAID: Sql = sql`send_answer, send_http, send_word, look_answer, look_http, look_word, told_state, told_id`;

/** A status and a word belong to the answer that they came with. A state and an id stay until the supplier says another. */
const newAnswers = (now: Date): Sql => sql`
  send_answer = coalesce(one.send_answer, a.send_answer), look_answer = coalesce(one.look_answer, a.look_answer),
  send_http_status = case when one.send_answer is null then a.send_http_status else one.send_http end,
  send_status_word = case when one.send_answer is null then a.send_status_word else one.send_word end,
  look_http_status = case when one.look_answer is null then a.look_http_status else one.look_http end,
  look_status_word = case when one.look_answer is null then a.look_status_word else one.look_word end,
  looked_at = case when one.look_answer is null then a.looked_at else ${now}::timestamptz end,
  told_state = coalesce(one.told_state, a.told_state), told_upstream_id = coalesce(one.told_id, a.told_upstream_id)`;

export const endAttempts = (tx: Tx, attempts: Settlement["attemptsEnded"], now: Date) =>
  tx.rows(sql`
    update supplier_attempts a
    set status = one.status, failure_code = one.failure_code, resolved_at = ${now}, looks = a.looks + 1,
        upstream_id = coalesce(one.upstream_id, a.upstream_id), by_hand = one.by_hand,
        ${newPrice(sql`one.status <> 'refused'`)},
        ${newAnswers(now)}
    from unnest(
      ${attempts.map((one) => one.orderId)}::text[], ${attempts.map((one) => one.lineIndex)}::smallint[],
      ${attempts.map((one) => one.unitIndex)}::integer[], ${attempts.map((one) => one.number)}::smallint[],
      ${attempts.map((one) => one.status)}::text[], ${attempts.map((one) => one.failureCode)}::text[],
      ${attempts.map((one) => one.upstreamId)}::text[], ${attempts.map(({ byHand }) => byHand === true)}::boolean[],
      ${priceColumns(attempts)}, ${saidColumns(attempts)}
    ) as one (order_id, line_index, unit_index, number, status, failure_code, upstream_id, by_hand, price_minor,
              price_currency, ${SAID})
    where a.order_id = one.order_id and a.line_index = one.line_index and a.unit_index = one.unit_index
      and a.number = one.number and a.status in ('open', 'not_made')`);

/** They are looked up further, without their units. */
export const writeOffAttempts = (tx: Tx, attempts: Settlement["attemptsWrittenOff"], now: Date) =>
  tx.rows(sql`
    update supplier_attempts a set written_off_at = ${now}, next_look_at = ${now}
    from unnest(
      ${attempts.map((one) => one.orderId)}::text[], ${attempts.map((one) => one.lineIndex)}::smallint[],
      ${attempts.map((one) => one.unitIndex)}::integer[], ${attempts.map((one) => one.number)}::smallint[]
    ) as one (order_id, line_index, unit_index, number)
    where a.order_id = one.order_id and a.line_index = one.line_index and a.unit_index = one.unit_index
      and a.number = one.number and a.status = 'open' and a.written_off_at is null`);

export const noteAttempts = (tx: Tx, attempts: Settlement["attemptsOpen"], now: Date) =>
  tx.rows(sql`
    update supplier_attempts a
    set upstream_id = coalesce(one.upstream_id, a.upstream_id), doubtful = one.doubtful,
        doubted_failure_code = one.doubted_failure_code, looks = a.looks + 1,
        not_found_looks = one.not_found_looks, not_found_since = one.not_found_since,
        -- A person may have decided while the supplier was asked.
        not_found_state = case when a.not_found_state = 'confirmed' and one.not_found_state is not null then 'confirmed'
          else one.not_found_state end,
        ${newPrice(sql`one.doubted_failure_code is null`)},
        ${newAnswers(now)}
    from unnest(
      ${attempts.map((one) => one.orderId)}::text[], ${attempts.map((one) => one.lineIndex)}::smallint[],
      ${attempts.map((one) => one.unitIndex)}::integer[], ${attempts.map((one) => one.number)}::smallint[],
      ${attempts.map((one) => one.upstreamId)}::text[], ${attempts.map((one) => one.doubtful)}::boolean[],
      ${attempts.map((one) => one.doubtedFailureCode)}::text[], ${priceColumns(attempts)},
      ${saidColumns(attempts)}, ${attempts.map((one) => one.notFoundLooks)}::integer[],
      ${attempts.map((one) => one.notFoundSince)}::timestamptz[], ${attempts.map((one) => one.notFoundState)}::text[]
    ) as one (order_id, line_index, unit_index, number, upstream_id, doubtful, doubted_failure_code, price_minor,
              price_currency, ${SAID}, not_found_looks, not_found_since, not_found_state)
    where a.order_id = one.order_id and a.line_index = one.line_index and a.unit_index = one.unit_index
      and a.number = one.number and a.status in ('open', 'not_made')`);

/**
 * The supplier never took them: they end, and are followed like purchases that were written off. One that was not found for long
 * enough after that is not followed any more.
 */
export const markNotMade = (tx: Tx, attempts: Settlement["attemptsNotMade"], now: Date) =>
  tx.rows(sql`
    update supplier_attempts a
    set status = 'not_made', resolved_at = coalesce(a.resolved_at, ${now}), looks = a.looks + 1,
        ${newAnswers(now)}, written_off_at = coalesce(a.written_off_at, ${now}), not_made_at = coalesce(a.not_made_at, ${now}),
        next_look_at = case when a.status = 'open' then ${now}::timestamptz end,
        not_found_looks = one.not_found_looks, not_found_since = one.not_found_since
    from unnest(
      ${attempts.map((one) => one.orderId)}::text[], ${attempts.map((one) => one.lineIndex)}::smallint[],
      ${attempts.map((one) => one.unitIndex)}::integer[], ${attempts.map((one) => one.number)}::smallint[],
      ${attempts.map((one) => one.notFoundLooks)}::integer[], ${attempts.map((one) => one.notFoundSince)}::timestamptz[],
      ${saidColumns(attempts)}
    ) as one (order_id, line_index, unit_index, number, not_found_looks, not_found_since, ${SAID})
    where a.order_id = one.order_id and a.line_index = one.line_index and a.unit_index = one.unit_index
      and a.number = one.number and a.status in ('open', 'not_made')`);

/**
 * Locks suppliers, in the order in which they are always locked, and then counts their purchases that count as not made since that
 * time: a statement that waits for a lock counts what was there before.
 */
export async function lockNotMade(tx: Tx, supplierIds: readonly string[], since: Date) {
  await tx.rows(sql`
    select from suppliers where id = any(${supplierIds}::text[]) order by id for no key update`);
  return tx.rows<StoredRule & { id: string; count: number }>(sql`
    select s.id, ${ruleColumns}, (
      select count(*)::integer from supplier_attempts a where a.supplier_id = s.id and a.not_made_at > ${since}
    ) as count
    from suppliers s where s.id = any(${supplierIds}::text[])`);
}

/** How many units of an order have just ended. Its count of open ones changes with its status, in one go: end-orders. */
export type EndedUnits = { orderId: string; units: number };

/** The units that ended, and with them the counts of their lines. */
export const endUnits = (tx: Tx, units: Settlement["unitsEnded"], now: Date) =>
  tx.rows<EndedUnits>(
    sql`
      with ended as (
        update order_units u
        set status = case when one.failure_code is null then 'delivered' else 'failed' end,
            delivered_at = case when one.failure_code is null then ${now}::timestamptz end, failure_code = one.failure_code,
            failed_at = case when one.failure_code is not null then ${now}::timestamptz end
        from unnest(
          ${units.map((one) => one.orderId)}::text[], ${units.map((one) => one.lineIndex)}::smallint[],
          ${units.map((one) => one.unitIndex)}::integer[], ${units.map((one) => one.failureCode)}::text[]
        ) as one (order_id, line_index, unit_index, failure_code)
        where u.order_id = one.order_id and u.line_index = one.line_index and u.unit_index = one.unit_index
          and u.status = 'waiting'
        returning u.order_id, u.line_index, u.failure_code
      ), counted as (
        update order_lines l
        set fulfilled_quantity = l.fulfilled_quantity + e.delivered, failure_code = coalesce(e.failure_code, l.failure_code)
        from (
          select order_id, line_index, count(*) filter (where failure_code is null) as delivered,
                 max(failure_code) as failure_code
          from ended group by order_id, line_index
        ) e
        where l.order_id = e.order_id and l.line_index = e.line_index
      )
      select order_id as "orderId", count(*)::integer as units from ended group by order_id`,
    { name: "end-units" },
  );

export const postponeUnits = (tx: Tx, units: Settlement["unitsLater"]) =>
  tx.rows(sql`
    update order_units u set due_at = one.due_at
    from unnest(
      ${units.map((one) => one.orderId)}::text[], ${units.map((one) => one.lineIndex)}::smallint[],
      ${units.map((one) => one.unitIndex)}::integer[], ${units.map((one) => one.dueAt.toISOString())}::timestamptz[]
    ) as one (order_id, line_index, unit_index, due_at)
    where u.order_id = one.order_id and u.line_index = one.line_index and u.unit_index = one.unit_index
      and u.status = 'waiting'`);

const unitRows = (units: readonly UnitKey[]): Sql => sql`
  unnest(${units.map((one) => one.orderId)}::text[], ${units.map((one) => one.lineIndex)}::smallint[],
         ${units.map((one) => one.unitIndex)}::integer[])`;
