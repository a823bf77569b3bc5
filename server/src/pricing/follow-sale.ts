import type { Db, Queryable } from "../db/database.ts";
import type { SaleReason } from "./not-for-sale.ts";
import { openPass, type Pass, type RecomputeDeps } from "./recompute-prices.ts";
import { listEnabledRoutes, listOwnTargets, listProductsById } from "./recompute-queries.ts";
import {
  awaitSale,
  hasSaleChanges,
  listGone,
  listProductIdsAfter,
  listUnsold,
  lockSale,
  markLookedAt,
  markLooks,
  type SaleEntry,
  takeSaleChanges,
  type Unsold,
  writeUnsold,
} from "./sale-queries.ts";
import { workOutChunk } from "./work-out-chunk.ts";
import type { Unsellable } from "./work-out-price.ts";

/** A chunk is one transaction. With twenty lists it has up to 20,000 entries. */
const PRODUCTS_AT_ONCE = 1_000;

/**
 * Looks again at what has changed and writes what cannot be bought, and why. Changes are forgotten once they have been looked at, so a
 * crash repeats work and loses none. One process does it at a time; the others leave it to that one. Returns how many products it
 * looked at.
 */
export const followSale = (deps: RecomputeDeps): Promise<number> => look(deps, false);

/** The same for a person who waits for it. */
export const followSaleNow = (deps: RecomputeDeps): Promise<number> => look(deps, true);

async function look(deps: RecomputeDeps, waits: boolean): Promise<number> {
  const { db } = deps;
  if (!(await hasSaleChanges(db))) return 0;
  return db.transaction(async (guard) => {
    if (waits) await awaitSale(guard);
    else if (!(await lockSale(guard))) return 0;
    const changed = await takeSaleChanges(guard);
    const pass = await openPass(deps);
    let products = 0;
    for await (const ids of chunksOf(db, changed)) {
      products += ids.length;
      await lookAt(db, ids, pass);
    }
    await markLookedAt(guard, pass.now);
    return products;
  });
}

/** The changed ones; all of them, if an empty id is among them. */
async function* chunksOf(db: Db, changed: readonly string[]): AsyncGenerator<string[]> {
  const isForAll = changed.includes("");
  const named = isForAll ? await listGone(db, changed) : changed;
  for (let at = 0; at < named.length; at += PRODUCTS_AT_ONCE) yield named.slice(at, at + PRODUCTS_AT_ONCE);
  let afterId = "";
  while (isForAll) {
    const ids = await listProductIdsAfter(db, afterId, PRODUCTS_AT_ONCE);
    const last = ids.at(-1);
    if (last === undefined) return;
    yield ids;
    afterId = last;
  }
}

async function lookAt(db: Db, ids: readonly string[], pass: Pass): Promise<void> {
  const unsold = await listUnsold(db, ids, pass.now);
  const entries = await addReasons(db, unsold, pass);
  await db.transaction(async (tx) => {
    await writeUnsold(tx, ids, entries, pass.now);
    await markLooks(tx, ids, pass.now);
  });
}

/** Where there is merely no price, the rules say why. */
export async function addReasons(
  db: Queryable,
  unsold: readonly Unsold[],
  { targets, ruledResellers, book, worth }: Pass,
): Promise<SaleEntry[]> {
  const ids = [...new Set(unsold.filter(({ reason }) => reason === null).map(({ productId }) => productId))];
  const reasons = new Map<string, SaleReason>();
  if (ids.length > 0) {
    const [products, routes, own] = [
      await listProductsById(db, ids),
      await listEnabledRoutes(db, ids),
      await listOwnTargets(db, ids, ruledResellers),
    ];
    for (const price of workOutChunk(products, routes, [...targets, ...own], book, worth))
      reasons.set(keyOf(price), reasonOf(price.reason));
  }
  return unsold.map((one) => ({ ...one, reason: one.reason ?? reasons.get(keyOf(one)) ?? "no_price" }));
}

const keyOf = (one: Omit<Unsold, "reason" | "hasLeft">): string =>
  [one.productId, one.priceList, one.resellerId, one.currency].join(" ");

/** A price that the rules give and nobody has written yet is none yet. */
function reasonOf(reason: Unsellable | ""): SaleReason {
  switch (reason) {
    case "rate_missing":
    case "rate_stale":
      return "no_rate";
    case "no_cost":
      return "no_cost";
    case "above_face":
      return "above_face_value";
    default:
      return "no_price";
  }
}
