import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addProducts } from "../../../testing/builders/builders.ts";
import { type Buyer, postOrder } from "../../../testing/builders/buyers.ts";
import { createTestFulfiller, type TestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { addRouteRow, addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { keepPlans } from "../../../testing/database/keep-plans.ts";
import { createHandClock } from "../../../testing/hand-clock.ts";
import { type ConsoleVisit, openConsoleOn } from "../../../testing/people/console-desk.ts";
import {
  createScriptedSupplier,
  lost,
  refused,
  type ScriptedSupplier,
  sold,
} from "../../../testing/upstream/scripted-supplier.ts";
import { audit } from "../../audit/audit.ts";
import { setPrice } from "../../catalog/prices/set-price.ts";
import { followWrittenOff } from "../../fulfilment/operate/follow-written-off.ts";
import { refundOrder } from "../../fulfilment/refund/refund-order.ts";
import { setRate } from "../../fx/set-rate.ts";
import { PRICING_DEFAULTS } from "../../lib/settings/pricing-config.ts";
import { recomputeAll } from "../../pricing/recompute-prices.ts";
import { countFacts } from "../../reports/count-facts.ts";
import { sumLost } from "../../reports/list-lost.ts";
import { readMargin } from "../../reports/read-margin.ts";
import { insertReversals } from "../../suppliers/reconcile/reconcile-queries.ts";
import type { LookUpOutcome } from "../../suppliers/supplier.ts";
import { moveFunds } from "../../wallet/move-funds.ts";

/** Sold in three currencies, bought in two: what each purchase cost is known here, and added up without any code of the product. */
type Sale = "EUR" | "USD" | "JPY";
const DECIMALS: Readonly<Record<string, number>> = { EUR: 2, USD: 2, GBP: 2, NGN: 2, XAF: 0, JPY: 0 };
const RATES: Readonly<Record<string, string>> = {
  ...{
    "USD/EUR": "0.9215",
    "GBP/USD": "1.2671",
    "GBP/EUR": "1.1683",
    "USD/JPY": "147.35",
    "GBP/JPY": "186.71",
  },
  "NGN/EUR": "0.00061",
};
type Book = { kept: bigint; cost: bigint; lost: bigint; unknown: bigint };
const books = new Map<string, Book>();
const bookOf = (name: string): Book => {
  const book = books.get(name) ?? { kept: 0n, cost: 0n, lost: 0n, unknown: 0n };
  books.set(name, book);
  return book;
};

/** By hand, half up: 9.75 USD × 0.9215 = 8.984625, so 8.98 EUR. */
function convert(minor: bigint, from: string, to: Sale): bigint {
  if (from === to) return minor;
  const [whole = "", decimals = ""] = (RATES[`${from}/${to}`] ?? "").split(".");
  const shift = (DECIMALS[to] ?? 0) - (DECIMALS[from] ?? 0);
  const [up, down] = [
    10n ** BigInt(Math.max(shift, 0)),
    10n ** BigInt(Math.max(-shift, 0) + decimals.length),
  ];
  return (2n * minor * BigInt(whole + decimals) * up + down) / (2n * down);
}

const BY = { actor: { kind: "command", id: "scrip" } } as const;
const DAY = "2030-06-03";
const clock = createHandClock(new Date(`${DAY}T12:00:00Z`));
let scrip: TestApp;
let worker: TestFulfiller;
let visit: ConsoleVisit;
let closeConsole: () => Promise<void>;
const buyers = new Map<Sale, Buyer>();
const suppliers = new Map<string, ScriptedSupplier>();
const orders = new Map<string, string>();

const pin = async (rates: Readonly<Record<string, string>>): Promise<void> => {
  for (const [pair, rate] of Object.entries(rates))
    await setRate(scrip.db, clock, BY, { pair, rate, until: undefined });
};
const recompute = () => recomputeAll({ db: scrip.db, clock, settings: PRICING_DEFAULTS.pricing });

before(async () => {
  scrip = await createTestApp({ clock, findShortage: async () => undefined });
  for (const currency of ["EUR", "USD", "JPY"] as const) {
    const { id: resellerId } = await scrip.addReseller({ currency, name: `Shop in ${currency}` });
    const { id: keyId, key } = await scrip.addKey(resellerId);
    const buyer = { resellerId, environment: "live", keyId, key } as const;
    await moveFunds(scrip.db, clock, buyer, { direction: "credit", amount: "100000", note: "" });
    buyers.set(currency, buyer);
  }
  await pin(RATES);
  const desk = await openConsoleOn(scrip);
  closeConsole = () => desk.console.close();
  visit = await desk.enter("admin");
});
after(async () => {
  await closeConsole?.();
  await scrip?.close();
});

/** A product with a supplier of its own for each cost, priced by hand in each currency. */
async function addProduct(id: string, ...costs: [minor: bigint, currency: string][]): Promise<void> {
  await addProducts(scrip.db, [{ id }]);
  for (const [priority, [costMinor, currency]] of costs.entries()) {
    const supplierId = await addSupplierRow(scrip.db, { kind: "scrip", name: `${id} ${priority}` });
    suppliers.set(supplierId, createScriptedSupplier());
    suppliers.set(`${id} ${priority}`, suppliers.get(supplierId) ?? createScriptedSupplier());
    await addRouteRow(scrip.db, { productId: id, supplierId, priority, costMinor, currency });
  }
  for (const [currency, amount] of [
    ["EUR", "10.00"],
    ["USD", "11.00"],
    ["JPY", "1700"],
  ] as const)
    await setPrice(scrip.db, clock, {
      productId: id,
      target: { kind: "list", priceList: "standard", currency },
      ...{ amount, strike: undefined },
    });
  worker = createTestFulfiller(scrip, {
    suppliers: Object.fromEntries(suppliers),
    limits: { breakerFailures: 1_000 },
  });
}
const PRICES: Readonly<Record<Sale, bigint>> = { EUR: 1_000n, USD: 1_100n, JPY: 1_700n };

async function order(productId: string, currency: Sale, quantity = 1): Promise<string> {
  const buyer = buyers.get(currency);
  assert.ok(buyer);
  const body = { lines: [{ productId, quantity }] };
  const reply = await postOrder(scrip, buyer, `${productId}-${currency}-${orders.size}`, body);
  assert.equal(reply.statusCode, 202, reply.body);
  const { id } = reply.json().order;
  orders.set(`${productId} ${currency}`, id);
  return id;
}
const script = (name: string, ...answers: LookUpOutcome[]): void => {
  const supplier = suppliers.get(name);
  assert.ok(supplier);
  supplier.answers = answers;
};
/** Writes what happened into the books of the currency, the product, the reseller and the order. */
function book(productId: string, currency: Sale, about: Partial<Book>): void {
  const names = [currency, `${productId} ${currency}`, `${buyers.get(currency)?.resellerId}`];
  for (const name of new Set(names)) {
    const one = bookOf(name);
    one.kept += about.kept ?? 0n;
    one.cost += about.cost ?? 0n;
    one.lost += about.lost ?? 0n;
    one.unknown += about.unknown ?? 0n;
  }
}

test("a day of every kind of sale: other routes, odd charges, losses, refunds and reversals", async () => {
  await addProduct("plain", [975n, "USD"]);
  await addProduct("pounds", [701n, "GBP"]);
  await addProduct("second", [900n, "USD"], [689n, "GBP"]);
  await addProduct("dear", [800n, "USD"]);
  await addProduct("naira", [850n, "USD"]);
  await addProduct("franc", [850n, "USD"]);
  await addProduct("late", [777n, "USD"]);
  await addProduct("fresh", [933n, "USD"]);
  await recompute();
  for (const currency of ["EUR", "USD", "JPY"] as const) {
    script("plain 0", sold(`plain-1-${currency}`), sold(`plain-2-${currency}`), sold(`plain-1-${currency}`));
    await order("plain", currency, 3);
    await worker.drain();
    // The third code was sold to us before: it was paid, and nobody got it.
    const one = convert(975n, "USD", currency);
    book("plain", currency, { kept: 2n * PRICES[currency], cost: 3n * one, lost: one });

    script("pounds 0", sold(`pounds-${currency}`));
    await order("pounds", currency);
    await worker.drain();
    book("pounds", currency, { kept: PRICES[currency], cost: convert(701n, "GBP", currency) });

    script("second 0", refused("temporarily_unavailable"));
    script("second 1", sold(`second-${currency}`));
    await order("second", currency);
    await worker.drain();
    book("second", currency, { kept: PRICES[currency], cost: convert(689n, "GBP", currency) });
  }
  script("dear 0", { ...sold("dear"), price: { amountMinor: 913n, currency: "USD" } } as LookUpOutcome);
  await order("dear", "EUR");
  await worker.drain();
  const lostMinor = convert(113n, "USD", "EUR");
  book("dear", "EUR", { kept: 1_000n, cost: convert(913n, "USD", "EUR"), lost: lostMinor });

  script("naira 0", {
    ...sold("naira"),
    price: { amountMinor: 1_462_500n, currency: "NGN" },
  } as LookUpOutcome);
  await order("naira", "EUR");
  await worker.drain();
  book("naira", "EUR", { kept: 1_000n, cost: convert(1_462_500n, "NGN", "EUR") });

  script("franc 0", { ...sold("franc"), price: { amountMinor: 5_500n, currency: "XAF" } } as LookUpOutcome);
  await order("franc", "EUR");
  await worker.drain();
  book("franc", "EUR", { unknown: 1_000n });

  // Its price was set a moment ago, and no worker has seen it yet: the line has no rate.
  await scrip.db.rows(sql`update list_prices set basis = null where product_id = 'fresh'`);
  script("fresh 0", sold("fresh"));
  await order("fresh", "JPY");
  await worker.drain();
  book("fresh", "JPY", { kept: 1_700n, cost: convert(933n, "USD", "JPY") });

  script("late 0", lost);
  const late = await order("late", "JPY");
  await worker.drain();
  await refundOrder(scrip.db, clock, { orderId: late, lines: undefined, reason: "no answer" });
  await countFacts(scrip);
});

test("later rates change nothing: refunds, late sales and reversals are at those of acceptance", async () => {
  await pin({ "USD/EUR": "0.5", "GBP/USD": "2", "USD/JPY": "200", "GBP/JPY": "300", "NGN/EUR": "0.1" });
  await recompute();
  script("late 0", sold("late"));
  clock.advance(3_600_000);
  await followWrittenOff(worker.deps);
  const late = convert(777n, "USD", "JPY");
  book("late", "JPY", { cost: late, lost: late });

  const pounds = orders.get("pounds USD") ?? "";
  await refundOrder(scrip.db, clock, { orderId: pounds, lines: undefined, reason: "returned" });
  book("pounds", "USD", { kept: -PRICES.USD });
  const franc = orders.get("franc EUR") ?? "";
  await refundOrder(scrip.db, clock, { orderId: franc, lines: undefined, reason: "returned" });
  book("franc", "EUR", { unknown: -1_000n });

  const [purchase] = await scrip.db.rows<{ supplierId: string; number: number }>(sql`
    select supplier_id as "supplierId", number from supplier_attempts
    where order_id = ${orders.get("second EUR")} and status = 'delivered'`);
  const reversed = {
    orderId: orders.get("second EUR") ?? "",
    lineIndex: 0,
    unitIndex: 0,
    number: purchase?.number ?? 0,
  };
  await insertReversals(scrip.db, purchase?.supplierId ?? "", [reversed], clock.now());
  book("second", "EUR", { cost: -convert(689n, "GBP", "EUR") });
  while (await countFacts(scrip));
  assert.deepEqual(
    (await audit(keepPlans(scrip.db))).invariants.filter(({ ok }) => !ok),
    [],
  );
});

const text = (minor: bigint, currency: Sale): string => {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, "0");
  const sign = minor < 0n ? "-" : "";
  return currency === "JPY" ? `${minor}` : `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};
const shown = (minor: bigint, currency: Sale): string =>
  `${text(minor, currency).replace(/^(-?\d+?)(?=(?:\d{3})+(?:\.|$))/, "$1,")} ${currency}`;
const marginOf = (name: string): bigint => bookOf(name).kept - bookOf(name).cost;
const scope = {
  environment: "live",
  from: new Date(`${DAY}T00:00:00Z`),
  to: new Date("2030-06-04T00:00:00Z"),
} as const;

test("the report of the command agrees with the books, by currency, product and reseller", async () => {
  const byProduct = await readMargin(scrip.db, { ...scope, by: ["product"] });
  const rows = new Map(byProduct.rows.map((row) => [`${row.keys[0]} ${row.currency}`, row]));
  for (const [name, one] of books) {
    const row = rows.get(name);
    if (!row) continue;
    assert.deepEqual(
      [row.convertedMinor, row.lostConvertedMinor, row.uncostedMinor],
      [one.cost, one.lost, one.unknown],
      name,
    );
    // All that was sold of it came back, and its cost is not known: that is no margin of zero.
    assert.equal(row.marginMinor, name.startsWith("franc") ? undefined : one.kept - one.cost, name);
  }
  const { totals } = await readMargin(scrip.db, { ...scope, by: ["month"] });
  for (const currency of ["EUR", "USD", "JPY"] as const) {
    const total = totals.find((row) => row.currency === currency);
    assert.equal(total?.marginMinor, marginOf(currency), currency);
    // Without what is not known, the margin is the net less the cost.
    assert.equal(total?.marginMinor, (total?.netMinor ?? 0n) - (total?.convertedMinor ?? 0n), currency);
    assert.ok(total?.isConverted);
  }
  const bySupplier = await readMargin(scrip.db, { ...scope, by: ["supplier"] });
  const sum = bySupplier.rows
    .filter(({ currency }) => currency === "EUR")
    .reduce((all, { marginMinor }) => all + (marginMinor ?? 0n), 0n);
  assert.equal(sum, marginOf("EUR"), "suppliers add up to the same");
});

test("overview, report, file, reseller, product and order show the same margin, marked as converted", async () => {
  const page = async (path: string): Promise<string> => {
    const { statusCode, body } = await visit.get(path);
    assert.equal(statusCode, 200, `${path}: ${body.slice(0, 300)}`);
    return body.replaceAll("−", "-");
  };
  const overview = await page("/");
  const tile = /Margin today[\s\S]*?<\/dd><dd class="note">[^<]*/.exec(overview)?.[0] ?? "";
  assert.match(tile, /costs converted/);
  const said = tile.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  for (const currency of ["EUR", "USD", "JPY"] as const)
    assert.ok(said.includes(shown(marginOf(currency), currency)), `${currency}: ${said}`);

  const csv = (await visit.get(`/reports/margin/report.csv?by=product&from=${DAY}&to=${DAY}`)).body;
  const [head = "", ...lines] = csv.trim().split("\r\n");
  const columns = head.split(",");
  for (const [name, one] of books) {
    const [productId = "", currency] = name.split(" ");
    if (currency === undefined) continue;
    const cells = lines
      .map((line) => line.split(","))
      .find((cell) => cell[0] === productId && cell[columns.indexOf("delivered_currency")] === currency);
    if (!cells) continue;
    const margin = productId === "franc" ? "" : text(one.kept - one.cost, currency as Sale);
    assert.equal(cells[columns.indexOf("margin")], margin, name);
    const lostText = productId === "franc" ? "" : text(one.lost, currency as Sale);
    assert.equal(cells[columns.indexOf("lost_converted")], lostText, name);
  }
  assert.match(await page("/reports/margin?by=product"), /Cost converted[\s\S]*Lost converted/);

  for (const currency of ["EUR", "USD", "JPY"] as const) {
    const { resellerId = "" } = buyers.get(currency) ?? {};
    assert.ok(
      (await page(`/resellers/${resellerId}`)).includes(
        `${shown(marginOf(resellerId), currency)}, converted`,
      ),
    );
    const plain = await page("/products/plain");
    const converted = currency === "USD" ? "" : ", converted";
    assert.ok(plain.includes(`${shown(marginOf(`plain ${currency}`), currency)}${converted}`), currency);
    const one = await page(`/orders/${orders.get(`pounds ${currency}`)}`);
    assert.match(one, /<dt>Cost, converted<\/dt>/);
  }
  for (const name of ["plain EUR", "second EUR", "naira EUR", "late JPY", "fresh JPY", "pounds USD"]) {
    const currency = name.slice(-3) as Sale;
    const body = (await page(`/orders/${orders.get(name)}`))
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ");
    const found = / Margin ([-\d.,]+ [A-Z]{3})/.exec(body.slice(body.indexOf("Kept")))?.[1];
    assert.equal(found, shown(marginOf(name), currency), name);
  }
  assert.match(await page(`/orders/${orders.get("franc EUR")}`), /no exchange rate is stored for a cost/);
  assert.match(await page(`/orders/${orders.get("second EUR")}`), /Given back by the supplier/);
});

test("what was lost is listed by supplier and cause, with the supplier's own numbers, and adds up to the column", async () => {
  const all = await sumLost(scrip.db, scope);
  const lines = all.map(
    (one) => `${one.supplierName} ${one.cause}: ${one.purchases}, ${one.lostMinor} ${one.currency}`,
  );
  assert.deepEqual(lines.sort(), [
    "dear 0 overcharge: 1, 113 USD",
    "franc 0 overcharge: 1, null XAF",
    "late 0 quarantine: 1, 777 USD",
    "naira 0 overcharge: 1, null NGN",
    "plain 0 duplicate: 3, 2925 USD",
    "second 1 reversal: 1, 0 GBP",
  ]);
  const bySupplier = await readMargin(scrip.db, { ...scope, by: ["supplier"] });
  for (const { supplierId, lostMinor, currency } of all) {
    const charged = bySupplier.rows
      .filter(({ keys }) => keys[0] === supplierId)
      .flatMap((row) => row.charged.filter((one) => one.currency === currency));
    const counted = charged.reduce((sum, one) => sum + one.lostMinor, 0n);
    assert.equal(counted, lostMinor ?? 0n, `${supplierId} in ${currency}`);
  }
  const dear = all.find(({ cause, lostMinor }) => cause === "overcharge" && lostMinor !== null);
  const query = `from=${DAY}&to=${DAY}&supplier=${dear?.supplierId}`;
  const { body } = await visit.get(`/reports/lost?${query}`);
  assert.match(
    body,
    /Charged too much, or in another currency[\s\S]*8\.00 USD[\s\S]*9\.13 USD[\s\S]*1\.13 USD/,
  );
  assert.doesNotMatch(body.replace(/<select[\s\S]*?<\/select>/g, ""), /plain 0/);
  const file = (await visit.get(`/reports/lost/report.csv?${query}`)).body.trim().split("\r\n");
  const reference = `${orders.get("dear EUR")}.0.0.1`;
  assert.equal(file.length, 2);
  assert.match(
    file[1] ?? "",
    new RegExp(
      `^dear 0,overcharge,${DAY}T12:00:00\\.000Z,${reference},upstream of dear,dear,8\\.00,USD,9\\.13,0\\.00,1\\.13,USD$`,
    ),
  );
});
