import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addBuyer, type Buyer, balanceOf } from "../../testing/builders/buyers.ts";
import { eventually } from "../../testing/eventually.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { type ForkedNode, forkNode } from "../../testing/processes/fork-node.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import { assertSold } from "../../testing/upstream/sales/sale-books.ts";
import {
  closeSale,
  countUnended,
  openSale,
  placeOrders,
  type Sale,
} from "../../testing/upstream/sales/shops.ts";
import { SUPPLIER_KINDS } from "../../testing/upstream/supplier-fakes.ts";
import type { FulfilmentLimits } from "./limits.ts";

const ORDERS = sizeFor("chaos", { share: 24, full: 2_000 });
const KILLS = sizeFor("chaos", { share: 1, full: 40 });
const WORKERS = sizeFor("chaos", { share: 1, full: 3 });
const TIMEOUT_MS = sizeFor("chaos", { share: 400, full: 800 });
const TEST_MS = sizeFor("chaos", { share: 120_000, full: 1_800_000 });
/** Looking more often would take the time of those who work. */
const PATIENCE = { deadlineMs: TEST_MS, everyMs: 100 };

const LIMITS: Partial<FulfilmentLimits> = {
  leaseMs: sizeFor("chaos", { share: 1_500, full: 3_000 }),
  pollMs: 50,
  inFlightMax: 16,
  callTimeoutMs: TIMEOUT_MS,
  // What lands late lands after `landMs`; the rest is for a machine that stalls meanwhile.
  arrivalMs: sizeFor("chaos", { share: 1_200, full: 4_000 }),
  lookFirstMs: 20,
  lookMaxMs: 400,
  breakerFailures: 1_000,
  breakerFirstMs: 20,
  breakerMaxMs: 100,
};

let scrip: TestApp;
let buyer: Buyer;
let sale: Sale;
let workers: ForkedNode[] = [];

before(async () => {
  scrip = await createTestApp();
  buyer = await addBuyer(scrip, "1000000.00");
  sale = await openSale(scrip, SUPPLIER_KINDS, { lateMs: 2 * TIMEOUT_MS, landMs: 400 });
});
after(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await closeSale(sale);
  await scrip.close();
});

/** As a supervisor does: a process that finds no connection on a busy machine is started again. */
async function startWorker(triesLeft = 10): Promise<ForkedNode> {
  try {
    const input = { connectionString: scrip.connectionString, limits: LIMITS, callsFreely: true };
    return await forkNode("buyer", input);
  } catch (error) {
    if (triesLeft === 0 || !/timeout|terminated/.test(String(error))) throw error;
    return startWorker(triesLeft - 1);
  }
}

test(`${ORDERS} orders with routes between all three suppliers, and ${KILLS} worker processes killed: none bought twice, lost, or refunded after delivery (SEED=${SEED})`, {
  timeout: TEST_MS,
}, async (t) => {
  const balance = await balanceOf(scrip.db, buyer);
  await placeOrders(scrip, buyer, sale, ORDERS);
  workers = await Promise.all(Array.from({ length: WORKERS }, () => startWorker()));
  const openAtKills = await killThroughout();
  await eventually(
    `no order is left (SEED=${SEED})`,
    async () => ((await countUnended(scrip)) === 0 ? true : undefined),
    PATIENCE,
  );
  const delivered = await assertSold(scrip, buyer, sale, balance);
  assert.ok(delivered > ORDERS / 2, `only ${delivered} units were delivered`);
  const calls = sale.shops.map(({ kind, fake }) => `${kind} ${fake.calls().length}`).join(", ");
  t.diagnostic(
    `${delivered} units delivered; calls: ${calls}; open purchases when killed: ${openAtKills.join(" ")}`,
  );
  assert.ok(
    openAtKills.some((count) => count > 0),
    "a worker was killed while purchases were open",
  );
});

/** Kills one process with each share of the orders that has ended, while purchases are open, and starts another. */
async function killThroughout(): Promise<number[]> {
  const random = createRandom(SEED + 1);
  const share = ORDERS / (KILLS + 1);
  const openAtKills: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const endedMin = Math.floor(share * (kill + random.below(100) / 100));
    const open = await eventually(
      `${endedMin} orders have ended, and purchases are open (SEED=${SEED})`,
      async () => {
        const unended = (await countUnended(scrip)) ?? ORDERS;
        if (unended === 0) return 0;
        const open = await countOpen();
        return unended <= ORDERS - endedMin && open > 0 ? open : undefined;
      },
      PATIENCE,
    );
    const [dead] = workers.splice(random.below(workers.length), 1);
    await dead?.kill();
    openAtKills.push(open);
    workers.push(await startWorker());
  }
  return openAtKills;
}

async function countOpen(): Promise<number> {
  const [row] = await scrip.db.rows<{ count: number }>(
    sql`select count(*)::integer as count from supplier_attempts where status = 'open'`,
  );
  return row?.count ?? 0;
}
