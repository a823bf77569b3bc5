import { Registry } from "prom-client";
import sql from "sql-template-tag";
import type { Queryable } from "../../src/db/database.ts";
import { createFulfiller, type FulfilDeps, type Fulfiller } from "../../src/fulfilment/fulfil-orders.ts";
import { createFulfilmentMetrics } from "../../src/fulfilment/fulfilment-metrics.ts";
import { FULFILMENT_LIMITS, type FulfilmentLimits } from "../../src/fulfilment/limits.ts";
import { createLog } from "../../src/lib/log.ts";
import { encodeGoods, type Goods, identityOf } from "../../src/suppliers/goods.ts";
import { refreshSupply } from "../../src/suppliers/refresh-supply.ts";
import type { RemoteSupplier } from "../../src/suppliers/supplier.ts";
import { createCodeDigest } from "../../src/vault/code-digest.ts";
import { stockPlace } from "../../src/vault/code-place.ts";
import type { TestApp } from "../app/test-app.ts";
import { newId } from "./new-id.ts";

export type TestFulfiller = Fulfiller & {
  deps: FulfilDeps;
  /** Runs steps until nothing is due and nothing is in progress. */
  drain(): Promise<void>;
};

/** A worker that runs its steps on demand, on the test's database and clock. */
export function createTestFulfiller(
  scrip: Pick<TestApp, "db" | "clock" | "codeVault" | "secrets">,
  options: {
    suppliers?: Readonly<Record<string, RemoteSupplier>>;
    limits?: Partial<FulfilmentLimits>;
    changes?: Partial<FulfilDeps>;
  } = {},
): TestFulfiller {
  const { db, clock, codeVault, secrets } = scrip;
  const deps: FulfilDeps = {
    db,
    clock,
    codeVault,
    log: createLog("silent", { write: () => {} }),
    limits: { ...FULFILMENT_LIMITS, ...options.limits },
    metrics: createFulfilmentMetrics(new Registry()),
    openSupplier: async (id) => {
      const supplier = options.suppliers?.[id];
      return supplier && { supplier, hasFailed: true };
    },
    digestCode: createCodeDigest(secrets.codeDigestKey),
    onBreakerOpened: () => {},
    onPriceAlert: () => {},
    onStockTaken: () => {},
    onEnded: () => {},
    onReturned: () => {},
    onDamaged: () => {},
    ...options.changes,
  };
  const fulfiller = createFulfiller(deps);
  const hasDue = async () => {
    const due = await db.rows(sql`select from order_work where due_at <= ${clock.now()} limit 1`);
    return due.length > 0;
  };
  return {
    ...fulfiller,
    deps,
    async drain() {
      do {
        await fulfiller.step();
        await fulfiller.idle();
      } while (await hasDue());
    },
  };
}

/** Codes in stock, sealed like imported ones. */
export async function addStock(
  scrip: Pick<TestApp, "db" | "codeVault" | "secrets">,
  stock: { productId: string; supplierId: string; goods: readonly Goods[] },
): Promise<string[]> {
  const digest = createCodeDigest(scrip.secrets.codeDigestKey);
  const ids: string[] = [];
  for (const goods of stock.goods) {
    const id = newId("cod");
    const sealed = scrip.codeVault.seal(stockPlace(id, stock.productId), encodeGoods(goods));
    await scrip.db.rows(sql`
      insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest, expires_at)
      values (${id}, 'live', ${stock.productId}, ${stock.supplierId}, 'stock', ${goods.type}, ${sealed},
              ${digest(identityOf(goods) ?? "")}, ${goods.type === "topup" ? null : (goods.expiresAt ?? null)})`);
    ids.push(id);
  }
  await refreshSupply(scrip.db, [stock.productId]);
  return ids;
}

/** The statuses of an order's units by line, such as ["delivered delivered", "refunded"]. */
export const unitStatuses = async (db: Queryable, orderId: string): Promise<string[]> => {
  const rows = await db.rows<{ statuses: string }>(sql`
    select string_agg(status, ' ' order by unit_index) as statuses
    from order_units where order_id = ${orderId} group by line_index order by line_index`);
  return rows.map((row) => row.statuses);
};
