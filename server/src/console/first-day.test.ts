import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Checker, openChecker } from "../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../testing/browser/open-browser.ts";
import { isWide } from "../../testing/full-size.ts";
import { codeFor } from "../../testing/people/authenticator-app.ts";
import type { ConsoleVisit } from "../../testing/people/console-desk.ts";
import { bankStatement, type Card, openFirstDay } from "../../testing/people/first-day.ts";
import { PASSWORD } from "../../testing/people/people-desk.ts";
import { audit } from "../audit/audit.ts";

const WAIT_MS = 30_000;
const START = new Date("2030-06-03T09:00:00Z");
/** Twenty products, or 10,000. */
const PER_SUPPLIER = isWide() ? 5_000 : 10;
const VALUES = [10, 25, 50, 75, 100];
const RATE_PERCENT = 90n;

/** US cards of two brands, then of more with a number, at 92 % of their value. */
const cardsOf = (firstSku: number, brands: readonly [string, string]): Card[] =>
  Array.from({ length: PER_SUPPLIER }, (_, index) => {
    const [value = 10, round] = [VALUES[index % VALUES.length], Math.floor(index / VALUES.length)];
    const brand = `${brands[round % 2]}${round < 2 ? "" : ` ${Math.floor(round / 2) + 1}`}`;
    return { sku: String(firstSku + index), brand, value, costMinor: value * 92 };
  });

const CARDS = {
  reloadly: cardsOf(1_001, ["Nimbus", "Zephyr"]),
  dtone: cardsOf(50_001, ["Gem Quest", "Solaris"]),
};
Object.assign(CARDS.reloadly[1] ?? {}, { chargedMinor: 2_400 });
Object.assign(CARDS.reloadly[4] ?? {}, { costMinor: 9_800 });
Object.assign(CARDS.reloadly[9] ?? {}, { costMinor: 9_900 });
Object.assign(CARDS.dtone[0] ?? {}, { reverses: true });
Object.assign(CARDS.dtone[9] ?? {}, { currency: "GB" });

/** What each order was bought for, in USD, as the suppliers' books and the stock's file have it. */
const COSTS: Readonly<Record<string, readonly bigint[]>> = {
  plain: [920n, 920n, 2_300n],
  dear: [2_400n],
  stocked: [2_200n],
  ruled: [9_800n],
  // The supplier gave the money back, and so did we.
  reversed: [],
};

let day: Awaited<ReturnType<typeof openFirstDay>>;
let chromium: TestBrowser;
before(async () => {
  [day, chromium] = await Promise.all([openFirstDay(START, CARDS), openBrowser()]);
});
after(async () => {
  await chromium?.close();
  await day?.close();
});

const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true }).first().click();
const follow = (page: Page, name: string | RegExp) =>
  page.getByRole("main").getByRole("link", { name, exact: true }).first().click();
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { name, level: 1 }).waitFor();
const open = (page: Page, path: string) => page.goto(`${day.url}${path}`);
const fill = (page: Page, label: string, value: string) =>
  page.getByLabel(label, { exact: true }).first().fill(value);
const choose = (page: Page, name: string, text: string) =>
  page.getByLabel("File").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

/** Each code of the app works once. */
async function typeCode(page: Page, { totpKey }: ConsoleVisit): Promise<void> {
  day.clock.advance(30_000);
  await fill(page, "One-time code", codeFor(totpKey, day.clock.now()));
  await press(page, "Continue");
}

async function signIn(role: "admin" | "finance"): Promise<Checker & { person: ConsoleVisit }> {
  const person = await day.desk.enter(role);
  const checker = await openChecker(chromium.browser, { url: day.url });
  const { page } = checker;
  page.setDefaultTimeout(WAIT_MS);
  await open(page, "/");
  await fill(page, "Email", person.email);
  await fill(page, "Password", PASSWORD);
  await press(page, "Sign in");
  await typeCode(page, person);
  await heading(page, "Overview");
  return { ...checker, person };
}

type Kind = "reloadly" | "dtone";
const SUPPLIERS = [
  { kind: "reloadly", label: "Reloadly", name: "Nimbus Wholesale", fields: ["Client ID", "Client secret"] },
  { kind: "dtone", label: "DT One", name: "Gems Direct", fields: ["API key", "API secret"] },
] as const;

async function addSupplier(page: Page, { kind, label, name, fields }: (typeof SUPPLIERS)[number]) {
  await open(page, "/suppliers");
  await follow(page, "Add a supplier");
  await follow(page, label);
  await fill(page, "Name", name);
  const { user, secret, address } = day.loginAt(kind);
  await fill(page, fields[0], user);
  await fill(page, fields[1], secret);
  await fill(page, "Address", address);
  await press(page, "Add supplier");
  await says(page, `${name} was added. Test the connection next, then read its catalog.`);
  await press(page, "Test connection");
  await says(page, /^The connection works\. The balance is [\d,.]+ USD\.$/);
  await takeCatalog(page, kind);
}

/** The page of the job leads to the proposal by itself. One id is edited, and what cannot be taken is named. */
async function takeCatalog(page: Page, kind: Kind): Promise<void> {
  const good = CARDS[kind].length - (kind === "dtone" ? 1 : 0);
  await follow(page, "Catalog");
  await press(page, "Read catalog");
  await says(page, "The catalog is being read.");
  await day.work();
  await follow(page, "Choose what to apply");
  await says(page, `${good.toLocaleString("en")} changes`);
  if (kind === "dtone") await says(page, "is missing or not a currency");
  else await fill(page, "Id of 1003@50", "nimbus-fifty");
  for (const box of await page.getByRole("checkbox", { name: /^Select \d/ }).all()) await box.check();
  await press(page, isWide() ? /^Apply all/ : "Apply selected");
  await says(page, `${good.toLocaleString("en")} applied.`);
  await says(page, "Nothing to change");
}

async function setPrices(page: Page): Promise<void> {
  await open(page, "/not-for-sale");
  await says(page, "No reseller yet");
  await open(page, "/prices");
  await fill(page, "Pair", "usd/eur");
  await fill(page, "Rate", "0.90");
  await press(page, "Pin rate");
  await says(page, "USD/EUR is pinned.");
  await fill(page, "Value", "4.5%");
  await press(page, "Set rule");
  await says(page, "The rule is set.");
}

/** The reseller's owner comes by the link that the console shows, and makes the key. */
async function addReseller(page: Page): Promise<string> {
  await open(page, "/resellers");
  await follow(page, "New reseller");
  await fill(page, "Name", "Northwind Games");
  await fill(page, "Currency", "eur");
  await fill(page, "Email", "it@northwind.example");
  await press(page, "Create reseller");
  await says(page, "Northwind Games was created. Invite its owner next.");
  await follow(page, "Invite");
  await fill(page, "Email", "owner@northwind.example");
  await press(page, "Invite");
  await says(page, "Send this link to owner@northwind.example");
  const link = (await page.locator(".secret code").first().textContent()) ?? "";
  const { page: own, close } = await openChecker(chromium.browser, { url: day.shopUrl });
  own.setDefaultTimeout(WAIT_MS);
  await own.goto(link);
  await fill(own, "Password", PASSWORD);
  await press(own, "Set password");
  await own.getByRole("link", { name: "Later" }).waitFor();
  await own.goto(`${day.shopUrl}/dashboard/keys`);
  await fill(own, "Name", "shop");
  await press(own, "Create key");
  const key = (await own.locator(".secret code").first().textContent()) ?? "";
  assert.match(key, /^sc_live_/);
  await close();
  return key;
}

async function publish(page: Page, count: number): Promise<void> {
  await day.work();
  await open(page, "/prices");
  await press(page, `Publish all ${count.toLocaleString("en")}`);
  await says(page, `Published ${count.toLocaleString("en")}.`);
  await day.work();
}

/** Two products would cost more than their value. A rule of its own brings one of them into the shop. */
async function openShop(page: Page): Promise<void> {
  await day.work();
  await open(page, "/not-for-sale");
  await says(page, "Price would pass the face value 2");
  await says(page, "Waits for its first publication");
  await follow(page, "Change the rule");
  await heading(page, "Prices");
  await page.getByLabel("On", { exact: true }).selectOption("product");
  await fill(page, "Category, brand or product", "nimbus-us-100");
  await fill(page, "Value", "1%");
  await press(page, "Set rule");
  await says(page, "The rule is set.");
  await publish(page, 2 * PER_SUPPLIER - 2);
  await open(page, "/not-for-sale");
  await says(page, "1 entry");
  await says(page, "zephyr-us-100");
}

/** The answer to the question of an import. */
async function agree(page: Page, verb: string): Promise<void> {
  await press(page, verb);
  await page.getByText("The import has started.", { exact: true }).waitFor();
  await day.work();
  await says(page, "succeeded");
}

async function importStock(page: Page): Promise<void> {
  await open(page, "/stock");
  await follow(page, "Import codes");
  await fill(page, "Product", "zephyr-us-25");
  await fill(page, "Cost of one code", "22.00");
  await fill(page, "Currency of the cost", "usd");
  await choose(page, "codes.csv", "code,expiresAt\nST-1,2032-12-31\nST-2,soon\nST-3,2032-12-31\n");
  await press(page, "Import codes");
  await says(page, "The import has started.");
  await day.work();
  await says(page, "Import these codes?");
  await says(page, "Rows that are left out: 1");
  await agree(page, "Import codes");
  // Codes that are paid for are sold first, so the price follows their cost.
  await publish(page, 1);
}

let calls = 0;
async function call(key: string, path: string, body?: object) {
  calls += 1;
  const headers = { "content-type": "application/json", "idempotency-key": `call-${calls}` };
  const sent = body && { headers, body: JSON.stringify(body) };
  const reply = await day.scrip.call(body ? "POST" : "GET", path, { key, ...sent });
  assert.ok(reply.statusCode < 300, `${path} ${reply.body}`);
  return reply.json();
}

/** The larger one takes two people. */
async function deposit(page: Page, other: Page, key: string): Promise<void> {
  const small = await call(key, "/v1/deposits", { amount: 20_000 });
  const large = await call(key, "/v1/deposits", { amount: 300_000 });
  await open(page, "/deposits");
  await follow(page, "Import a bank statement");
  const payments = {
    "200.00": small.deposit.reference,
    "3000.00": large.deposit.reference,
    "50.50": "thanks",
  };
  await choose(page, "june.xml", bankStatement(payments));
  await page.locator("main form button[type=submit]").click();
  await says(page, "The statement is being read.");
  await day.work();
  await says(page, "Receive and credit these payments?");
  await says(page, "2 of 3 rows");
  await agree(page, "Receive and credit");
  assert.equal((await call(key, "/v1/balance")).balance.amount, 20_000);
  await open(other, "/");
  await follow(other, /^A credit of 3,000\.00 EUR/);
  await press(other, "Approve");
  await says(other, "Approved. The balance is 3,200.00 EUR now.");
}

type Sold = Readonly<Record<string, { id: string; totalMinor: bigint }>>;
const BASKETS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  plain: { "nimbus-us-10": 2, "gem-quest-us-25": 1 },
  dear: { "nimbus-us-25": 1 },
  reversed: { "gem-quest-us-10": 1 },
  stocked: { "zephyr-us-25": 1 },
  ruled: { "nimbus-us-100": 1 },
};

async function sell(key: string): Promise<Sold> {
  const sold: Record<string, { id: string; totalMinor: bigint }> = {};
  for (const [name, basket] of Object.entries(BASKETS)) {
    const lines = Object.entries(basket).map(([productId, quantity]) => ({ productId, quantity }));
    const { id } = (await call(key, "/v1/orders", { lines })).order;
    await day.work();
    const { order } = await call(key, `/v1/orders/${id}`);
    assert.equal(order.status, "completed", name);
    sold[name] = { id, totalMinor: BigInt(order.total.amount) };
  }
  return sold;
}

/** One purchase was charged above its limit. Its route rests, and nothing else. */
async function enableRoute(page: Page, sold: Sold): Promise<void> {
  await open(page, "/not-for-sale?reason=route_paused");
  await says(page, "nimbus-us-25");
  await open(page, "/");
  await follow(page, /Nimbus Wholesale charged 24\.00 USD in place of 23\.00 USD; the route is paused/);
  await open(page, "/suppliers");
  await follow(page, "Nimbus Wholesale");
  await says(page, "Charged 24.00 USD, expected 23.00 USD");
  await press(page, /^Enable/);
  await says(page, "The route is enabled.");
  await open(page, `/orders/${sold.dear?.id}`);
  await says(page, "1.00 USD more");
}

async function chargeBack({ page, person, expect }: Awaited<ReturnType<typeof signIn>>, sold: Sold) {
  day.fakes.dtone.fake.reverse();
  await day.readBooks();
  await open(page, `/orders/${sold.reversed?.id}`);
  await says(page, "A supplier took back 1 unit after delivery");
  await follow(page, "Charge back");
  await fill(page, "Reason", "The issuer took it back");
  // Fresh proof is asked for with this status.
  expect(403);
  await press(page, "Charge back");
  await says(page, "gets 8.66 EUR back now for 1 unit. You: keep what the supplier gave back.");
  await typeCode(page, person);
  await says(page, "1 unit charged back: Northwind Games got 8.66 EUR back.");
  await day.work();
}

async function reconcile(page: Page): Promise<void> {
  for (const { name } of SUPPLIERS) {
    await open(page, "/suppliers");
    await follow(page, name);
    await follow(page, "Reconcile");
    await fill(page, "From", "2030-06-01");
    await fill(page, "To (not included)", "2030-07-01");
    await press(page, "Compare");
    await heading(page, `Reconciliation of ${name}`);
    await says(page, name === "Gems Direct" ? "Taken back" : "The books agree.");
  }
  await open(page, "/reconciliations");
  for (const { name } of SUPPLIERS) await page.getByRole("row").filter({ hasText: name }).waitFor();
}

/** Each cost is converted by itself, half up. */
const converted = (minor: bigint): bigint => (minor * RATE_PERCENT + 50n) / 100n;
const text = (minor: bigint): string => `${minor / 100n}.${String(minor % 100n).padStart(2, "0")} EUR`;

async function readMonth(page: Page, sold: Sold): Promise<void> {
  const marginMinor = Object.entries(COSTS).reduce(
    (sum, [name, costs]) =>
      costs.length === 0
        ? sum
        : costs.reduce((left, cost) => left - converted(cost), sum + (sold[name]?.totalMinor ?? 0n)),
    0n,
  );
  await open(page, "/reports/margin?from=2030-06-01&to=2030-06-30");
  const total = page.getByRole("row").filter({ hasText: "Total" });
  const heads = await page.getByRole("columnheader").allTextContents();
  const cells = await total.locator("th, td").allTextContents();
  assert.equal(cells[heads.indexOf("Margin")], text(marginMinor));
  assert.equal(cells[heads.indexOf("Lost converted")], text(converted(100n)));
  await open(page, "/reports/lost?from=2030-06-01&to=2030-06-30");
  for (const cause of ["Charged too much", "Taken back after delivery"])
    await page.getByRole("row").filter({ hasText: cause }).first().waitFor();
}

test("a shop opens in the morning and knows its month's margin to the cent, by the console's pages", async () => {
  const ada = await signIn("admin");
  const { page } = ada;
  for (const missing of ["supplier", "product", "price", "reseller"]) await says(page, `No ${missing} yet`);
  for (const supplier of SUPPLIERS) await addSupplier(page, supplier);
  await setPrices(page);
  const key = await addReseller(page);
  await openShop(page);
  await importStock(page);
  const ben = await signIn("finance");
  await deposit(page, ben.page, key);
  const sold = await sell(key);
  await enableRoute(page, sold);
  await chargeBack(ada, sold);
  await reconcile(page);
  await readMonth(page, sold);
  assert.deepEqual([await ada.judge({ views: [] }), await ben.judge({ views: [] })], [[], []]);
  const { ok, invariants } = await audit(day.scrip.db);
  assert.ok(ok, JSON.stringify(invariants.filter((one) => !one.ok)));
  await Promise.all([ada.close(), ben.close()]);
});
