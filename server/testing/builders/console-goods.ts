import sql from "sql-template-tag";
import { evaluateAlerts } from "../../src/alerts/evaluate-alerts.ts";
import { runNextJob } from "../../src/jobs/run-job.ts";
import { startJob } from "../../src/jobs/start-job.ts";
import { reconcileSupplier } from "../../src/suppliers/reconcile/reconcile-supplier.ts";
import type { SyncItem } from "../../src/suppliers/sync/compare-catalog.ts";
import { storeSync } from "../../src/suppliers/sync/sync-queries.ts";
import type { TestApp } from "../app/test-app.ts";
import { addProducts, setSupply } from "./builders.ts";
import { openJobDeps } from "./job-desk.ts";
import { addRouteRow, addStockRow, addSupplierRow } from "./supply-builders.ts";

const PRODUCTS = 30;
const PURCHASES = 40;
const DAY_MS = 86_400_000;

/** A console with products, suppliers, stock, alerts and jobs in every state, some with names that are hard to show. */
export async function fillGoods(scrip: TestApp, accountId: string) {
  const { db, clock } = scrip;
  const now = clock.now().getTime();
  const ids = Array.from({ length: PRODUCTS }, (_, number) => `nimbus-us-${String(number).padStart(2, "0")}`);
  await addProducts(
    db,
    ids.map((id, number) => ({
      id,
      name: number === 0 ? `Nimbus "Gold" <b>Card</b> ${"very ".repeat(12)}long` : `Nimbus Card ${number}`,
    })),
  );
  const warehouse = await addSupplierRow(db, { name: "Warehouse" });
  const upstream = await addSupplierRow(db, {
    kind: "scrip",
    name: "Upstream of an unusually long name GmbH & Co. KG",
  });
  await addSupplierRow(db, { kind: "scrip", name: "Former", enabled: false });
  for (const [number, productId] of ids.entries()) {
    await addRouteRow(db, { productId, supplierId: warehouse, costMinor: 810n, currency: "USD" });
    if (number % 2 === 0)
      await addRouteRow(db, {
        productId,
        supplierId: upstream,
        priority: 200,
        costMinor: 9_999_950n,
        currency: "USD",
      });
    for (let code = 0; code < number % 4; code += 1)
      await addStockRow(db, {
        productId,
        supplierId: warehouse,
        expiresAt: new Date(now + (number + 1) * 5 * DAY_MS),
      });
  }
  await setSupply(db, [ids[0] ?? "", ids[4] ?? ""], "empty");
  for (let unit = 0; unit < PURCHASES; unit += 1)
    await addPurchase(scrip, upstream, ids[unit % 2] ?? "", unit);
  await db.rows(sql`
    update suppliers set balance_minor = 41250, balance_currency = 'USD', balance_at = ${clock.now()}, balance_low_minor = 50000,
           consecutive_failures = 7, open_until = ${new Date(now + 120_000)} where id = ${upstream}`);
  await evaluateAlerts({ db, clock, consoleUrl: "http://localhost:8081" });
  return {
    reconciliationId: await compareBooks(scrip, upstream, accountId),
    warehouse,
    upstream,
    productId: ids[0] ?? "",
    jobs: await addJobs(scrip, accountId, ids[1] ?? ""),
  };
}

/** What was read of a supplier's catalog and of its books, with rows that could not be read. Returns the id of the comparison. */
async function compareBooks(scrip: TestApp, supplierId: string, accountId: string): Promise<string> {
  const now = scrip.clock.now().getTime();
  const items = Array.from({ length: 120 }, (_, number): SyncItem => {
    const id = `${number}@10`;
    const productId = `zephyr-us-${number}`;
    const route = { productId, sku: String(number), value: "10", cost: "9.75", currency: "EUR" };
    if (number % 9 === 0) return { id, change: "repriced", route, was: { cost: "9.75", currency: "USD" } };
    const faceValue = { amount: "10", currency: "USD" };
    return {
      id,
      change: "new",
      product: { id: productId, name: `Zephyr <b>US</b> ${number}`, faceValue },
      route,
    };
  });
  const odd = [
    { number: "7", field: "destination.unit", reason: "is missing or not a currency" },
    { field: "page", reason: "2 repeats an earlier page; the list ends there" },
  ];
  const read = { items, unchanged: 12, leftOut: { range: 4, sender_data: 2 }, odd, oddCount: 2 };
  await storeSync(scrip.db, supplierId, read, scrip.clock.now());
  const statement = async function* () {
    yield Buffer.from(
      `reference,id,amount,currency,status\n<img src=x>,900001,0.92,USD,completed\n,900002,1.00,USD,odd\n`,
    );
  };
  const period = { from: new Date(now - DAY_MS), to: new Date(now + DAY_MS) };
  const balances = { opening: "500.00", closing: "412.50", deposits: "0" };
  const input = { file: statement(), ...period, balances };
  const reconciled = await reconcileSupplier(scrip, supplierId, input, { kind: "staff", id: accountId });
  return reconciled.id;
}

const addPurchase = ({ db, clock }: TestApp, supplierId: string, productId: string, unit: number) => {
  const openedAt = new Date(clock.now().getTime() - (unit + 1) * 400_000);
  const status = unit % 7 === 6 ? "open" : unit % 5 === 4 ? "refused" : "delivered";
  return db.rows(sql`
    insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                   status, failure_code, doubtful, sends, looks, opened_at, resolved_at)
    values (${`ord_01m7fg0000000000000000000${unit % 10}`}, 0, ${unit}, 1, 'live', ${productId}, ${supplierId}, 'sku', ${status},
            ${status === "refused" ? (unit % 2 ? "out_of_stock" : "temporarily_unavailable") : null}, ${status === "open"}, 1,
            ${unit % 3}, ${openedAt}, ${status === "open" ? null : new Date(openedAt.getTime() + 300 + unit * 90)})`);
};

/** One that succeeded, one that was refused, a preview, and one that waits. */
async function addJobs(scrip: TestApp, accountId: string, productId: string) {
  const by = { actor: { kind: "staff", id: accountId } } as const;
  const deps = {
    ...(await openJobDeps(scrip.db, scrip.clock)),
    ...{ keyring: scrip.keyring, codeVault: scrip.codeVault, secrets: scrip.secrets },
  };
  const file = (text: string) => Buffer.from(text);
  const start = (job: Parameters<typeof startJob>[1]) => startJob(scrip, job, by);
  const audit = await start({ kind: "audit", params: {} });
  const refused = await start({
    kind: "import_stock",
    params: { productId },
    input: file("code\nAAA-1\nAAA-1\nTEST-1\n"),
  });
  const rows = Array.from({ length: 20 }, (_, number) => `nimbus-us-${number + 20},Renamed ${number},25,USD`);
  const preview = await start({
    kind: "import_catalog",
    params: { preview: true },
    input: file(`id,name,faceValue.amount,faceValue.currency\n${rows.join("\n")}\n`),
  });
  while (await runNextJob(deps));
  const waiting = await start({ kind: "export_orders", params: { environment: "live" } });
  return { audit, refused, preview, waiting };
}
