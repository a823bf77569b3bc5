import sql from "sql-template-tag";
import { type By, recordActivity, SCRIP_ITSELF } from "../../activity/record-activity.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { formatAmount, toSafeInteger } from "../../lib/money.ts";
import { changeEnabled } from "../enable-supplier.ts";
import type { DisablingPurchase, DisablingReason } from "../queries.ts";
import { refreshSupply } from "../refresh-supply.ts";
import { listRoutedProductIds, type RouteKey } from "../route-queries.ts";
import type { PriceLimit, SupplierPrice, ToldPrice } from "../supplier.ts";

/** Overcharges count for so long. */
const COUNTED_MS = 24 * 3_600_000;

/** A unit that was charged above the limit of its route, in another currency, or at a price that cannot be read. */
export type Overcharge = RouteKey & {
  purchase: { orderId: string; lineIndex: number; unitIndex: number; attempt: number };
  limit: PriceLimit;
  price: ToldPrice;
};

/**
 * Nothing more is bought by a route whose unit was charged above its limit, until a person enables it (CONTRACT 8). The supplier is
 * disabled only for a price that cannot be compared, a large overcharge, or repeated ones. A route that is paused already is not
 * counted again: purchases that were under way belong to the same move of the price.
 */
export async function stopOvercharge(db: Db, clock: Clock, overcharge: Overcharge): Promise<void> {
  const { productId, supplierId, limit, price } = overcharge;
  const disabled = await db.transaction(async (tx) => {
    const now = clock.now();
    const limits = await lockOverchargeLimits(tx, supplierId);
    if (!limits) return false;
    const charged = price === "unreadable" || price.currency !== limit.currency ? undefined : price;
    const isPaused = charged !== undefined && (await pauseRoute(tx, clock, overcharge, charged, now));
    const since = new Date(now.getTime() - COUNTED_MS);
    const times = limits.overchargedAt.filter((at) => at > since);
    if (isPaused) await markOvercharged(tx, supplierId, [...times, now]);
    const reason = decideDisabling(overcharge, limits, times.length + (isPaused ? 1 : 0));
    if (reason === undefined || !limits.enabled) return false;
    await changeEnabled(tx, clock, supplierId, { reason, purchase: toPurchase(overcharge) }, SCRIP_ITSELF);
    return true;
  });
  await refreshSupply(db, disabled ? await listRoutedProductIds(db, supplierId) : [productId], clock.now());
}

export type OverchargeLimits = { overchargeTimes: number; overchargeAboveBp: number };

/** Why an overcharge disables its supplier, if it does. `times`: with this one, so many count. */
export function decideDisabling(
  { limit, price }: Pick<Overcharge, "limit" | "price">,
  { overchargeTimes, overchargeAboveBp }: OverchargeLimits,
  times: number,
): DisablingReason | undefined {
  if (price === "unreadable") return "unreadable_price";
  if (price.currency !== limit.currency) return "other_currency";
  if (price.amountMinor * 10_000n > limit.expectedMinor * BigInt(10_000 + overchargeAboveBp))
    return "large_overcharge";
  return times >= overchargeTimes ? "repeated_overcharges" : undefined;
}

/** Purchases are opened under the same lock: see `reserveCalls`. */
const lockOverchargeLimits = async (tx: Tx, supplierId: string) => {
  const [row] = await tx.rows<OverchargeLimits & { enabled: boolean; overchargedAt: Date[] }>(sql`
    select enabled, overcharge_times as "overchargeTimes", overcharge_above_bp as "overchargeAboveBp",
           overcharged_at as "overchargedAt"
    from suppliers where id = ${supplierId} for no key update`);
  return row;
};

const markOvercharged = (tx: Tx, supplierId: string, times: readonly Date[]) =>
  tx.rows(sql`update suppliers set overcharged_at = ${times}::timestamptz[] where id = ${supplierId}`);

/** False for a route that is paused already, or gone. */
async function pauseRoute(
  tx: Tx,
  clock: Clock,
  overcharge: Overcharge,
  charged: SupplierPrice,
  now: Date,
): Promise<boolean> {
  const { productId, supplierId, purchase, limit } = overcharge;
  const paused = await tx.rows(sql`
    update supplier_routes
    set paused_at = ${now}, paused_reason = 'overcharged', paused_expected_minor = ${limit.expectedMinor},
        paused_limit_minor = ${limit.maxMinor}, paused_charged_minor = ${charged.amountMinor},
        paused_currency = ${charged.currency}, paused_order_id = ${purchase.orderId},
        paused_line_index = ${purchase.lineIndex}, paused_unit_index = ${purchase.unitIndex},
        paused_attempt = ${purchase.attempt}
    where product_id = ${productId} and supplier_id = ${supplierId} and paused_at is null
    returning product_id`);
  if (paused.length === 0) return false;
  await recordActivity(tx, clock, {
    ...SCRIP_ITSELF,
    action: "route.paused",
    object: { kind: "product", id: productId },
    after: {
      supplier: supplierId,
      expected: amountText(limit.expectedMinor, limit.currency),
      limit: amountText(limit.maxMinor, limit.currency),
      charged: amountText(charged.amountMinor, charged.currency),
      order: purchase.orderId,
      unit: `${purchase.lineIndex}.${purchase.unitIndex}`,
    },
  });
  return true;
}

const toPurchase = ({ productId, purchase, limit, price }: Overcharge): DisablingPurchase => ({
  ...{ productId, ...purchase },
  expected: { amount: toSafeInteger(limit.expectedMinor), currency: limit.currency },
  charged:
    price === "unreadable" ? null : { amount: toSafeInteger(price.amountMinor), currency: price.currency },
});

/** Units are bought by a paused route again, at the cost and limit that it has now. One that is not paused stays as it is. */
export async function enableRoute(db: Db, clock: Clock, key: RouteKey, by: By): Promise<void> {
  await db.transaction(async (tx) => {
    const [row] = await tx.rows<{ wasPaused: boolean }>(sql`
      with present as (
        select product_id, supplier_id, paused_at from supplier_routes
        where product_id = ${key.productId} and supplier_id = ${key.supplierId} for no key update
      ), enabled as (
        update supplier_routes r
        set paused_at = null, paused_reason = null, paused_expected_minor = null, paused_limit_minor = null,
            paused_charged_minor = null, paused_currency = null, paused_order_id = null, paused_line_index = null,
            paused_unit_index = null, paused_attempt = null
        from present p
        where r.product_id = p.product_id and r.supplier_id = p.supplier_id and p.paused_at is not null
      )
      select paused_at is not null as "wasPaused" from present`);
    if (!row) throw new RangeError(`there is no route of ${key.productId} to ${key.supplierId}`);
    if (!row.wasPaused) return;
    await recordActivity(tx, clock, {
      ...by,
      action: "route.enabled",
      object: { kind: "product", id: key.productId },
      after: { supplier: key.supplierId },
    });
  });
  await refreshSupply(db, [key.productId], clock.now());
}

const amountText = (amountMinor: bigint, currency: string): string =>
  `${formatAmount(amountMinor, currency)} ${currency}`;
