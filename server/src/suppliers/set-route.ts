import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { parseCurrency } from "../lib/currencies.ts";
import { formatAmount, parseTypedAmount } from "../lib/money.ts";
import { getProductCurrency, getSupplier } from "./get-supplier.ts";
import { refreshSupply } from "./refresh-supply.ts";
import { findKind } from "./registry.ts";
import { deleteRoute, findRoute, type RouteKey, type RouteRow, upsertRoute } from "./route-queries.ts";

export const PRIORITY_MAX = 1_000_000;
const SKU_PATTERN = /^[\x21-\x7e]{1,64}$/;

export type SetRouteInput = RouteKey & {
  /** The lowest is tried first. */
  priority: number;
  /** What one unit costs, as decimal text. */
  cost: string;
  currency: string | undefined;
  /** The maximum cost of a unit, if the supplier's price has changed. Null for none but the cost itself. */
  maxCost?: string | null | undefined;
  sku: string | undefined;
  /** The face value to buy, as decimal text, for a supplier that lets the buyer choose. */
  value?: string | undefined;
  /** Our names of input fields, and what the supplier calls them. */
  fieldMap?: Readonly<Record<string, string>> | undefined;
};

/**
 * Creates or changes the route of a product to a supplier. Currency, maximum cost and SKU stay unchanged when they are not
 * given: a new cost must not make it buy something else.
 */
export async function setRoute(db: Db, clock: Clock, input: SetRouteInput, by?: By): Promise<RouteRow> {
  const { productId, supplierId, priority } = input;
  checkPriority(priority);
  const route = await db.transaction(async (tx) => {
    const productCurrency = await getProductCurrency(tx, productId);
    const { hasOwnStock, kind } = await getSupplier(tx, supplierId);
    if (hasOwnStock && typeof input.maxCost === "string")
      throw new RangeError(
        "--max-cost is for a supplier that is called; stock has no price that could change",
      );
    const present = await findRoute(tx, { productId, supplierId });
    const cost = parseCost(input.cost, input.currency ?? present?.costCurrency ?? productCurrency);
    const changed = {
      productId,
      supplierId,
      priority,
      ...cost,
      maxCostMinor: chooseMaxCost(input.maxCost, cost, present),
      sku: checkSku(input.sku ?? present?.sku ?? productId),
      value: checkValue(kind, input.value ?? present?.value ?? null),
      fieldMap: checkFieldMap(kind, input.fieldMap ?? present?.fieldMap ?? null),
    };
    await upsertRoute(tx, changed, clock.now());
    if (by) await recordRoute(tx, clock, by, "route.set", changed);
    return changed;
  });
  await refreshSupply(db, [productId], clock.now());
  return route;
}

type Cost = { costMinor: bigint; costCurrency: string };

/** "8.10" in USD → 810n USD. A cost can be zero: some stock is free. */
export function parseCost(text: string, currency: string): Cost {
  const costCurrency = parseCurrency(currency);
  return { costMinor: parseTypedAmount(text, costCurrency), costCurrency };
}

/** A maximum in another currency cannot be compared with the new cost, so it is dropped. */
export function chooseMaxCost(
  text: string | null | undefined,
  cost: Cost,
  present: RouteRow | undefined,
): bigint | null {
  if (text === null) return null;
  const { costMinor, costCurrency } = cost;
  const kept = present?.costCurrency === costCurrency ? present.maxCostMinor : null;
  const maxCostMinor = text === undefined ? kept : parseTypedAmount(text, costCurrency);
  if (maxCostMinor !== null && maxCostMinor < costMinor) {
    const max = formatAmount(maxCostMinor, costCurrency);
    throw new RangeError(
      `the maximum cost ${max} is below the cost ${formatAmount(costMinor, costCurrency)}; set --max-cost to the cost or more`,
    );
  }
  return maxCostMinor;
}

export function checkPriority(priority: number): number {
  if (Number.isInteger(priority) && priority >= 0 && priority <= PRIORITY_MAX) return priority;
  throw new RangeError(`a priority is a whole number from 0 to ${PRIORITY_MAX}`);
}

export function checkSku(sku: string): string {
  if (!SKU_PATTERN.test(sku)) throw new RangeError("a SKU has 1 to 64 printable characters without spaces");
  return sku;
}

/** `25.00`, where the kind of supplier takes a value. */
export function checkValue(kindName: string, value: string | null): string | null {
  const kind = findKind(kindName);
  const takes = kind && !kind.hasOwnStock ? kind.takesValue : "never";
  if (value === null) {
    if (takes === "required")
      throw new RangeError(`a route to a ${kindName} supplier needs the face value to buy: --value 25.00`);
    return null;
  }
  if (takes === "never") throw new RangeError(`a ${kindName} supplier takes no --value`);
  if (!VALUE_PATTERN.test(value) || Number(value) === 0)
    throw new RangeError(`"${value}" is not a face value such as 25.00`);
  return value;
}

const VALUE_PATTERN = /^\d{1,12}(\.\d{1,6})?$/;
const FIELD_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

export function checkFieldMap(
  kindName: string,
  fieldMap: Readonly<Record<string, string>> | null,
): Readonly<Record<string, string>> | null {
  if (fieldMap === null || Object.keys(fieldMap).length === 0) return null;
  if (findKind(kindName)?.hasOwnStock) throw new RangeError("--map is for a supplier that is called");
  const names = Object.values(fieldMap);
  if (new Set(names).size < names.length) throw new RangeError("--map gives two fields the same name");
  if (![...Object.keys(fieldMap), ...names].every((name) => FIELD_NAME.test(name)))
    throw new RangeError("--map is a list such as playerId=account_number,zone=account_qualifier");
  return fieldMap;
}

/** The product is no longer bought there. Its stock stays, and sells again once the route is restored. */
export async function removeRoute(db: Db, clock: Clock, key: RouteKey, by?: By): Promise<RouteRow> {
  const removed = await db.transaction(async (tx) => {
    const row = await deleteRoute(tx, key);
    if (!row) throw new RangeError(`there is no route of ${key.productId} to ${key.supplierId}`);
    if (by) await recordRoute(tx, clock, by, "route.removed", row);
    return row;
  });
  await refreshSupply(db, [key.productId], clock.now());
  return removed;
}

/** In the log of the staff alone: it names a supplier and a cost. */
const recordRoute = (
  tx: Tx,
  clock: Clock,
  by: By,
  action: "route.set" | "route.removed",
  { productId, supplierId, priority, costMinor, costCurrency, sku }: RouteRow,
): Promise<void> =>
  recordActivity(tx, clock, {
    ...by,
    action,
    object: { kind: "product", id: productId },
    after: {
      ...{ supplier: supplierId, priority, sku },
      ...(costMinor === null || costCurrency === null
        ? {}
        : { cost: `${formatAmount(costMinor, costCurrency)} ${costCurrency}` }),
    },
  });
