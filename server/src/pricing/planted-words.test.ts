import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Registry } from "prom-client";
import sql from "sql-template-tag";
import { MATRIX } from "../../testing/app/dashboard-matrix.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, postOrder } from "../../testing/builders/buyers.ts";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { openDashboardDesk } from "../../testing/people/dashboard-desk.ts";
import { addFilledProducts, fillReseller } from "../../testing/people/filled-reseller.ts";
import { findUnplanted, PLANTED, PLANTED_MINOR, plantMargin } from "../../testing/pricing/plant-margin.ts";
import { createFulfilmentMetrics } from "../fulfilment/fulfilment-metrics.ts";
import { FULFILMENT_LIMITS } from "../fulfilment/limits.ts";
import { createSupplierCalls } from "../fulfilment/supplier-calls.ts";
import { createLog } from "../lib/log.ts";
import { secret } from "../lib/secret.ts";
import { PRICING_DEFAULTS } from "../lib/settings/pricing-config.ts";
import { refreshSupply } from "../suppliers/refresh-supply.ts";
import type { RemoteSupplier } from "../suppliers/supplier.ts";
import { sealSupplierConfig } from "../suppliers/supplier-config.ts";
import { publishPrices } from "./publish-prices.ts";
import { recomputeAll } from "./recompute-prices.ts";
import { setRule } from "./set-rule.ts";

const BY = { actor: { kind: "command", id: "scrip" } } as const;
const clock = createHandClock(new Date());
const PRODUCTS = ["card-sold", "card-refused"] as const;
let desk: Awaited<ReturnType<typeof openDashboardDesk>>;
let buyer: Buyer;
let supplierId: string;
/** What the worker logged and counted. */
const logLines: string[] = [];
const registry = new Registry();

/** Sells one of the two, and refuses the other at another price. */
const supplier: RemoteSupplier = {
  buy: async ({ sku }) =>
    sku === "planted-card-sold"
      ? {
          kind: "delivered",
          goods: secret({ type: "code", code: "CODE-1" }),
          upstreamId: "planted-upstream",
          price: { amountMinor: PLANTED_MINOR + 1_000n, currency: "USD" },
        }
      : {
          kind: "refused",
          failureCode: "temporarily_unavailable",
          supplierFault: false,
          price: { amountMinor: PLANTED_MINOR * 10n, currency: "USD" },
        },
  lookUp: async () => ({ kind: "not_found" }),
};

before(async () => {
  desk = await openDashboardDesk({ clock });
  const { db } = desk;
  await addFilledProducts(desk, "goods");
  buyer = await addBuyer(desk, "1000000.00");
  supplierId = await addSupplierRow(db, { kind: "dtone", name: "Planted Supplier" });
  const sealed = sealSupplierConfig(desk.keyring, supplierId, {
    apiKey: "planted-key",
    apiSecret: "planted-secret",
  });
  await db.rows(sql`update suppliers set sealed_config = ${sealed} where id = ${supplierId}`);
  for (const id of PRODUCTS) {
    await addProducts(db, [
      { id, faceValue: { amount: "9000.00", currency: "USD", unit: "USD", isMoney: true } },
    ]);
    await db.rows(sql`
      insert into supplier_routes (product_id, supplier_id, priority, cost_minor, max_cost_minor, cost_currency, sku)
      values (${id}, ${supplierId}, 1, ${PLANTED_MINOR}, ${PLANTED_MINOR + 1_000n}, 'USD', ${`planted-${id}`})`);
  }
  await refreshSupply(db, PRODUCTS);
  await setRule(db, clock, BY, { for: "all", on: "all", kind: "over_cost", value: "10%" });
  await recomputeAll({ db, clock, settings: PRICING_DEFAULTS.pricing });
  await publishPrices(db, clock, BY, { upToId: 1_000_000n });
});
after(() => desk?.close());

/** The worker of a server, with its logs and metrics, and a supplier that does what the test says. */
async function fulfil(): Promise<void> {
  const log = createLog("trace", { write: (line) => void logLines.push(line) });
  const limits = { ...FULFILMENT_LIMITS, lookFirstMs: 1 };
  const { closeSuppliers, ...calls } = createSupplierCalls(
    { ...desk, log, kindOf: () => ({ open: () => supplier }) },
    limits,
  );
  const metrics = createFulfilmentMetrics(registry);
  await createTestFulfiller(desk, { limits, changes: { ...calls, log, metrics } }).drain();
  await closeSuppliers();
}

test("no supplier, cost, rule, rate or bank line reaches a reseller: API, dashboard, CSV, events, mail, metrics, logs", async () => {
  const lines = PRODUCTS.map((productId) => ({ productId, quantity: 1 }));
  const placed = await postOrder(desk, buyer, "first", { lines });
  assert.equal(placed.statusCode, 202, placed.body);
  const orderId: string = placed.json().order.id;
  const endpoint = await post("/v1/webhooks", { url: "https://hooks.example.com/" });
  await fulfil();
  const deposit = await post("/v1/deposits", { amount: 50_000 }, { "idempotency-key": "deposit" });
  const depositId: string = JSON.parse(deposit).deposit.id;
  await plantMargin(desk.db, { supplierId, orderId, productId: PRODUCTS[0], depositId });
  assert.deepEqual(
    await findUnplanted(desk.db, supplierId),
    [],
    "every column of the operator's tables is planted",
  );

  const ids = { orderId, depositId, webhookId: JSON.parse(endpoint).webhook.id as string };
  const said = [
    ["placing", placed.body],
    ["an endpoint", endpoint],
    ["a deposit", deposit],
    ...(await readApi(ids)),
    ...(await readDashboard(ids)),
    ...(await readTables()),
  ] as const;
  for (const [where, text] of said) assertClean(where, text, [supplierId, "rul_", "basis", "landed"]);
  // The operator's metrics and logs may name a supplier by its id, and nothing else of it.
  assertClean("metrics of the worker", await registry.metrics());
  assertClean("metrics", (await desk.call("GET", "/metrics")).body);
  assert.match(logLines.join(""), /purchase_price/, "the worker had something to tell");
  assertClean("logs", logLines.join("") + desk.logged());
  const order = await desk.call("GET", `/v1/orders/${orderId}`, { key: buyer.key });
  assert.match(order.body, /147085/, "the price by rule is there");
});

function assertClean(where: string, text: string, words: readonly string[] = []): void {
  const found = PLANTED.exec(text)?.[0] ?? words.find((word) => text.includes(word));
  if (found === undefined) return;
  const at = text.indexOf(found);
  assert.fail(`${where} has ${found}: …${text.slice(Math.max(0, at - 60), at + 60)}…`);
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<string> {
  const reply = await desk.call("POST", url, {
    key: buyer.key,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  assert.ok(reply.statusCode < 300, reply.body);
  return reply.body;
}

type Ids = { orderId: string; depositId: string; webhookId: string };

/** Every GET of the API reference, so that a new one is covered. */
async function readApi({ orderId, depositId, webhookId }: Ids): Promise<[string, string][]> {
  const document = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"));
  const [event] = await desk.db.rows<{ id: string }>(sql`
    select id from events where reseller_id = ${buyer.resellerId} limit 1`);
  const subjects: Record<string, string> = {
    ...{ orders: orderId, products: PRODUCTS[0], deposits: depositId, webhooks: webhookId },
    ...{ events: event?.id ?? "", requests: "req_none" },
  };
  const paths = Object.entries<Record<string, unknown>>(document.paths)
    .filter(([, verbs]) => "get" in verbs)
    .map(([path]) => path.replace("{id}", subjects[path.split("/")[2] ?? ""] ?? "none"));
  const said: [string, string][] = [];
  for (const path of [...paths, "/v1/catalog?q=card", "/v1/orders?status=completed"]) {
    const { body, statusCode, headers } = await desk.call("GET", path, { key: buyer.key });
    assert.ok(statusCode < 300 || path.includes("req_none"), `${path}: ${statusCode} ${body}`);
    said.push([path, `${JSON.stringify(headers)}${body}`]);
  }
  const refused = await postOrder(desk, buyer, "refused", {
    lines: [{ productId: PRODUCTS[0], quantity: 11 }],
  });
  const again = await postOrder(desk, buyer, "second", { lines: [{ productId: PRODUCTS[1], quantity: 1 }] });
  return [...said, ["a refused order", refused.body], ["an order of what was refused", again.body]];
}

/** Every page and file of the dashboard, as its owner. */
async function readDashboard({ orderId, depositId, webhookId }: Ids): Promise<[string, string][]> {
  const filled = await fillReseller(desk, "goods");
  const owner = await desk.join(buyer.resellerId, "owner");
  const subjects: Record<string, string> = {
    ...{ orders: orderId, catalog: PRODUCTS[0], deposits: depositId, webhooks: webhookId, keys: buyer.keyId },
  };
  const said: [string, string][] = [];
  for (const key of Object.keys(MATRIX).filter((one) => one.startsWith("GET "))) {
    const path = key.slice("GET ".length);
    const id = subjects[path.split("/")[2] ?? ""] ?? MATRIX[key]?.ids?.(filled).id ?? "";
    const { body, statusCode } = await owner.get(path.replace(":id", id));
    assert.ok(statusCode < 500, path);
    said.push([path, body]);
  }
  const page = said.find(([path]) => path === "/dashboard/orders/:id")?.[1] ?? "";
  assert.match(page, /1,470\.85/, "the page of the order is there");
  return said;
}

/** What goes out by webhook and by mail, and the answers that are kept for repeated requests. */
async function readTables(): Promise<[string, string][]> {
  const events = await desk.db.rows<{ text: string }>(sql`select body as text from events`);
  const letters = await desk.db.rows<{ text: string }>(sql`
    select subject || body_text || coalesce(body_html, '') as text from letters where recipient like '%@buyer.example'`);
  assert.ok(events.length > 0, "there are events");
  return [
    ...events.map(({ text }): [string, string] => ["events", text]),
    ...letters.map(({ text }): [string, string] => ["letters", text]),
  ];
}
