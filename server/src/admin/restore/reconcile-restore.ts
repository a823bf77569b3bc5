import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { refreshSupply } from "../../suppliers/refresh-supply.ts";
import { insertStockOperation } from "../../suppliers/stock/stock-operation-queries.ts";
import { type Choice, chooseCodes, type RestoreInput } from "./choose-codes.ts";
import {
  insertLostCodes,
  insertRestore,
  keepHeldFromReturning,
  type MovedStock,
  markSold,
  releaseCodes,
  setCodesAside,
} from "./restore-queries.ts";

export type ReconciledStock = {
  /** Set aside, by product. They are never sold, unless they are released. */
  setAside: MovedStock[];
  /** Set aside by an earlier run, and now known to be unsold: in stock again. */
  released: MovedStock[];
  /** How many codes only the lost database knew and sold. An import refuses them. */
  refused: number;
};

const CODES_AT_ONCE = 5_000;

/**
 * After a restore to an earlier time, codes that were sold since are in stock again. Sets aside those that were sold, or all
 * that could have been, in one transaction: a crash changes nothing, and a second run does the rest. With the lost database
 * a run also decides about the codes that an earlier run without it has set aside.
 */
export async function reconcileRestore(
  { db, clock }: { db: Db; clock: Clock },
  input: RestoreInput,
): Promise<ReconciledStock> {
  const { since, lost } = input;
  const now = clock.now();
  const choice = await chooseCodes(db, input);
  const result = await db.transaction((tx) =>
    apply(tx, choice, { since, knowsSold: lost !== undefined, now }),
  );
  const changed = [...result.setAside, ...result.released].map(({ productId }) => productId);
  if (changed.length > 0) await refreshSupply(db, changed, now);
  return result;
}

async function apply(
  tx: Tx,
  choice: Choice,
  restore: { since: Date; knowsSold: boolean; now: Date },
): Promise<ReconciledStock> {
  const { since, knowsSold, now } = restore;
  const restoreId = await insertRestore(tx, restore);
  const setAside: MovedStock[] = [];
  const released: MovedStock[] = [];
  for (const ids of slices(choice.setAside))
    setAside.push(...(await setCodesAside(tx, restoreId, { ids, mayReturn: !knowsSold })));
  for (const ids of slices(choice.sold)) await markSold(tx, restoreId, ids);
  for (const ids of slices(choice.unsold)) released.push(...(await releaseCodes(tx, ids, now)));
  for (const digests of slices(choice.unknown)) await insertLostCodes(tx, restoreId, digests);
  await keepHeldFromReturning(tx, since);
  const sums = { setAside: sumByProduct(setAside), released: sumByProduct(released) };
  await recordWithdrawals(tx, sums.setAside, since, now);
  return { ...sums, refused: choice.unknown.length };
}

function* slices<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let from = 0; from < items.length; from += CODES_AT_ONCE)
    yield items.slice(from, from + CODES_AT_ONCE);
}

function sumByProduct(moved: readonly MovedStock[]): MovedStock[] {
  const counts = new Map<string, number>();
  for (const { productId, count } of moved) counts.set(productId, (counts.get(productId) ?? 0) + count);
  return [...counts].map(([productId, count]) => ({ productId, count })).sort(compareProducts);
}

const compareProducts = (one: MovedStock, other: MovedStock): number =>
  one.productId < other.productId ? -1 : 1;

async function recordWithdrawals(
  tx: Tx,
  setAside: readonly MovedStock[],
  since: Date,
  now: Date,
): Promise<void> {
  const reason = `restore of the database to ${since.toISOString()}`;
  for (const { productId, count: codeCount } of setAside)
    await insertStockOperation(tx, {
      action: "withdraw",
      productId,
      supplierId: undefined,
      codeCount,
      reason,
      now,
    });
}
