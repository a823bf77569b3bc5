import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Db } from "../db/database.ts";
import type { ServerSecrets } from "../keys/server-secrets.ts";
import type { Clock } from "../lib/clock.ts";
import { idsOf } from "../lib/ids.ts";
import { setRoute } from "../suppliers/set-route.ts";
import { importStock } from "../suppliers/stock/import-stock.ts";
import { stockKind } from "../suppliers/stock/stock-kind.ts";
import { RATE_PER_SECOND_DEFAULT, storeSupplier } from "../suppliers/store-supplier.ts";
import { createCodeDigest } from "../vault/code-digest.ts";
import type { CodeVault } from "../vault/code-vault.ts";
import { type DemoStock, demoStock, makeStockFile } from "./demo-stock.ts";

export type DemoStockDeps = {
  db: Db;
  clock: Clock;
  secrets: ServerSecrets;
  codeVault: CodeVault;
};

const SUPPLIER_NAME = "Demo stock";
const ROUTE_PRIORITY = 100;

/** Creates one supplier with stock of most cards, so that live orders can be placed, and what orders of the past took
 * from it. Returns the number of codes that are left. */
export async function fillDemoStock(
  deps: DemoStockDeps,
  soldBefore: ReadonlyMap<string, number> = new Map(),
): Promise<number> {
  const supplierId = await addStockSupplier(deps);
  // Only its owner can enter this directory, and the codes are removed before the demo is ready.
  const folder = await mkdtemp(join(tmpdir(), "scrip-demo-"));
  try {
    let codes = 0;
    for (const stock of demoStock) {
      const sold = stock.codes === 0 ? 0 : (soldBefore.get(stock.productId) ?? 0);
      codes += (await stockUp(deps, supplierId, { ...stock, codes: stock.codes + sold }, folder)) - sold;
    }
    return codes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function addStockSupplier({ db, clock }: DemoStockDeps): Promise<string> {
  const now = clock.now();
  const { id } = await storeSupplier(db, {
    id: idsOf(clock)("sup"),
    kind: stockKind.kind,
    name: SUPPLIER_NAME,
    ratePerSecond: RATE_PER_SECOND_DEFAULT,
    sealedConfig: null,
    createdAt: now,
  });
  return id;
}

/** The first codes create the route. A product with a route and no codes is out of stock. */
async function stockUp(
  deps: DemoStockDeps,
  supplierId: string,
  stock: DemoStock,
  folder: string,
): Promise<number> {
  const { db, clock } = deps;
  const { productId, cost, codes } = stock;
  const route = { productId, supplierId, cost };
  if (codes === 0) {
    await setRoute(db, clock, { ...route, priority: ROUTE_PRIORITY, currency: undefined, sku: undefined });
    return 0;
  }
  const file = join(folder, `${productId}.csv`);
  await writeFile(file, makeStockFile(stock, clock.now()));
  const faults: string[] = [];
  const result = await importStock(
    { ...deps, digestCode: createCodeDigest(deps.secrets.codeDigestKey) },
    {
      ...route,
      file,
      onFault: ({ line, reason }) => void faults.push(`line ${line} ${reason}`),
    },
  );
  if (!result.ok) throw new Error(`the demo stock of ${productId} is faulty: ${faults.join("; ")}`);
  return result.imported;
}
