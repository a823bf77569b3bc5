import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { refreshSupply } from "../../suppliers/refresh-supply.ts";
import { insertStockOperation } from "../../suppliers/stock/stock-operation-queries.ts";
import type { LostDatabase } from "./lost-database.ts";
import {
  insertRestore,
  keepHeldFromReturning,
  listHeldCodes,
  listStockBefore,
  type MovedStock,
  markSold,
  releaseCodes,
  setCodesAside,
} from "./restore-queries.ts";

export type ReconcileRestoreInput = {
  /** What was acknowledged after this time may be lost. */
  since: Date;
  /** Undefined if it cannot be read any more. Then every code that could have been sold is set aside. */
  lost: Pick<LostDatabase, "findSold"> | undefined;
  onProgress?: (codes: number) => void;
};

export type ReconciledStock = {
  /** Set aside, by product. They are never sold, unless they are released. */
  setAside: MovedStock[];
  /** Set aside by an earlier run, and now known to be unsold: in stock again. */
  released: MovedStock[];
};

const CODES_AT_ONCE = 5_000;

/**
 * After a restore to an earlier time, codes that were sold since are in stock again. Sets aside those that were sold, or all
 * that could have been, in one transaction: a crash changes nothing, and a second run does the rest. With the lost database
 * a run also decides about the codes that an earlier run without it has set aside.
 */
export async function reconcileRestore(
  { db, clock }: { db: Db; clock: Clock },
  { since, lost, onProgress }: ReconcileRestoreInput,
): Promise<ReconciledStock> {
  const now = clock.now();
  const choice = await chooseCodes(db, since, lost, onProgress);
  const result = await db.transaction(async (tx) => {
    const restoreId = await insertRestore(tx, { since, knowsSold: lost !== undefined, now });
    const setAside: MovedStock[] = [];
    const released: MovedStock[] = [];
    for (const ids of slices(choice.setAside))
      setAside.push(...(await setCodesAside(tx, restoreId, { ids, wereSold: lost !== undefined })));
    for (const ids of slices(choice.sold)) await markSold(tx, restoreId, ids);
    for (const ids of slices(choice.unsold)) released.push(...(await releaseCodes(tx, ids, now)));
    await keepHeldFromReturning(tx);
    const sums = { setAside: sumByProduct(setAside), released: sumByProduct(released) };
    await recordWithdrawals(tx, sums.setAside, since, now);
    return sums;
  });
  const changed = [...result.setAside, ...result.released].map(({ productId }) => productId);
  if (changed.length > 0) await refreshSupply(db, changed, now);
  return result;
}

type Choice = {
  /** In stock. */
  setAside: string[];
  /** Set aside earlier, and now known. */
  sold: string[];
  unsold: string[];
};

/** The lost database is asked before the transaction begins. No process sells meanwhile. */
async function chooseCodes(
  db: Db,
  since: Date,
  lost: ReconcileRestoreInput["lost"],
  onProgress: (codes: number) => void = () => {},
): Promise<Choice> {
  const choice: Choice = { setAside: [], sold: [], unsold: [] };
  let seen = 0;
  const walk = async (
    list: (page: { afterId: string; limit: number }) => Promise<{ id: string }[]>,
    choose: (ids: string[]) => Promise<void>,
  ) => {
    for (let afterId = ""; ; ) {
      const ids = (await list({ afterId, limit: CODES_AT_ONCE })).map(({ id }) => id);
      if (ids.length === 0) return;
      await choose(ids);
      seen += ids.length;
      onProgress(seen);
      afterId = ids.at(-1) ?? "";
    }
  };
  await walk(
    (page) => listStockBefore(db, { since, ...page }),
    async (ids) => void choice.setAside.push(...(lost ? await lost.findSold(ids) : ids)),
  );
  if (!lost) return choice;
  await walk(
    (page) => listHeldCodes(db, page),
    async (ids) => {
      const sold = new Set(await lost.findSold(ids));
      for (const id of ids) (sold.has(id) ? choice.sold : choice.unsold).push(id);
    },
  );
  return choice;
}

function* slices(ids: readonly string[]): Generator<string[]> {
  for (let from = 0; from < ids.length; from += CODES_AT_ONCE) yield ids.slice(from, from + CODES_AT_ONCE);
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
