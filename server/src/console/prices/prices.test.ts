import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addProducts } from "../../../testing/builders/builders.ts";
import { addRouteRow, addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { openConsoleDesk } from "../../../testing/people/console-desk.ts";
import { PRICING_DEFAULTS } from "../../lib/settings/pricing-config.ts";
import { recomputeAll } from "../../pricing/recompute-prices.ts";

const desk = await openConsoleDesk();
let resellerId: string;

before(async () => {
  resellerId = (await desk.addReseller({ currency: "USD" })).id;
  const supplierId = await addSupplierRow(desk.db, { kind: "scrip" });
  await addProducts(desk.db, [{ id: "card" }]);
  await addRouteRow(desk.db, { productId: "card", supplierId, costMinor: 2_000n });
});
after(() => desk.close());

const recompute = () => recomputeAll({ db: desk.db, clock: desk.clock, settings: PRICING_DEFAULTS.pricing });
const priceOf = async () =>
  (await desk.db.rows<{ amount: bigint }>(sql`select amount_minor as amount from list_prices`))[0]?.amount;

test("finance sets a rule, sees old and new with margins, publishes with fresh proof, and reads why", async () => {
  const finance = await desk.enter("finance");
  const rule = { for: "all", forName: "", on: "all", onName: "", kind: "over_cost", value: "5%" };
  const refused = await finance.post("/prices/rules", { ...rule, value: "five" });
  assert.equal(refused.statusCode, 422);
  assert.match(refused.body, /id="rule-value-error">Value must be a percentage such as 4\.5%/);
  const named = await finance.post("/prices/rules", { ...rule, forName: "gold" });
  assert.match(named.body, /id="rule-forName-error">Price list or reseller must be/, "a name for everyone");
  assert.equal((await finance.post("/prices/rules", rule)).statusCode, 303);
  await recompute();
  const { body } = await finance.get(`/prices?product=card&reseller=${resellerId}`);
  assert.match(body, /5% above landed cost/);
  assert.match(body, /Publish all 1/);
  assert.match(body, /21\.00/);
  assert.match(body, /card for rsl_\S+ costs 21\.00 USD/);
  const [proposal] = await desk.db.rows<{ id: bigint }>(sql`select id from price_proposals`);
  desk.clock.advance(10 * 60_000);
  const asked = await finance.post("/prices/publish", { id: String(proposal?.id), upTo: "" });
  assert.match(asked.body, /Continue|Password|One-time code/, "without fresh proof it is asked for");
  assert.equal(await priceOf(), undefined);
  const other = await desk.enter("finance");
  assert.equal((await other.post("/prices/publish", { id: String(proposal?.id), upTo: "" })).statusCode, 303);
  assert.equal(await priceOf(), 2_100n);
  const gone = await other.post("/prices/publish", { id: String(proposal?.id), upTo: "" });
  assert.equal(gone.statusCode, 422);
  assert.match(gone.body, /changed or are gone/);
});

test("a rule of one list and one product takes their names from fields, and a period in days", async () => {
  const finance = await desk.enter("finance");
  const rule = { for: "list", forName: "gold", on: "product", onName: "card", kind: "fixed", value: "21.50" };
  const limits = { minMargin: "2.5%", minAmount: "0.05", round: "x.99", allowAboveFace: "yes" };
  const fields = { ...rule, currency: "usd", from: "2036-01-01", to: "2036-02-01", ...limits };
  assert.equal((await finance.post("/prices/rules", { ...fields, to: "2035-01-01" })).statusCode, 422);
  assert.equal((await finance.post("/prices/rules", fields)).statusCode, 303);
  const rules = () =>
    desk.db.rows<{ id: string; for: string; on: string; from: Date }>(sql`
      select id, who || ':' || who_id as for, what || ':' || what_id as on, valid_from as from
      from price_rules where who = 'list' and removed_at is null`);
  const [set] = await rules();
  const { body } = await finance.get("/prices");
  const row = /<td[^>]*>list gold<[\s\S]*?<\/tr>/.exec(body)?.[0] ?? "";
  const said = row.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  assert.match(said, /2\.5% \+ 0\.05 USD above landed cost x\.99 allowed/);
  assert.deepEqual([set?.for, set?.on], ["list:gold", "product:card"]);
  assert.equal(set?.from.toISOString(), "2036-01-01T00:00:00.000Z");
  assert.equal((await finance.post("/prices/rules/remove", { id: set?.id ?? "" })).statusCode, 303);
});

test("finance pins a rate until a day, with fresh proof; catalog cannot", async () => {
  const [finance, catalog] = [await desk.enter("finance"), await desk.enter("catalog")];
  const pin = { pair: "usd/eur", rate: "0.9215", until: "2036-05-01" };
  assert.equal((await catalog.post("/prices/rates", pin)).statusCode, 403);
  assert.doesNotMatch((await catalog.get("/prices")).body, /Pin a rate/);
  for (const wrong of [{ pair: "USD" }, { rate: "-1" }, { until: "2001-01-01" }])
    assert.equal((await finance.post("/prices/rates", { ...pin, ...wrong })).statusCode, 422);
  assert.equal((await finance.post("/prices/rates", pin)).statusCode, 303);
  const { body } = await finance.get("/prices");
  assert.match(body, /USD\/EUR<[\s\S]*0\.9215<[\s\S]*>pin</);
  assert.match(body, />Explain<\/button>/);
  const rates = await desk.db.rows(sql`select base, quote, rate::text, source, until from fx_rates`);
  assert.deepEqual(rates, [
    { base: "USD", quote: "EUR", rate: "0.9215", source: "pin", until: new Date("2036-05-01T00:00:00Z") },
  ]);
  desk.clock.advance(10 * 60_000);
  const asked = await finance.post("/prices/rates", { ...pin, rate: "1.1" });
  assert.match(asked.body, /Continue|Password|One-time code/, "without fresh proof it is asked for");
});

test("catalog may set rules and not publish; a viewer only reads", async () => {
  const [catalog, viewer] = [await desk.enter("catalog"), await desk.enter("viewer")];
  assert.equal((await catalog.post("/prices/publish", { id: "", upTo: "9" })).statusCode, 403);
  const [rule] = await desk.db.rows<{ id: string }>(sql`select id from price_rules`);
  assert.equal((await viewer.post("/prices/rules/remove", { id: rule?.id ?? "" })).statusCode, 403);
  assert.doesNotMatch((await viewer.get("/prices")).body, /Set a rule|Publish all/);
  assert.equal((await catalog.post("/prices/rules/remove", { id: rule?.id ?? "" })).statusCode, 303);
  await recompute();
  assert.match((await catalog.get("/prices")).body, /No rules yet/);
});
