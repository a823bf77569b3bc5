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
  const rule = { for: "all", on: "all", kind: "over_cost", value: "5%" };
  const refused = await finance.post("/prices/rules", { ...rule, value: "five" });
  assert.equal(refused.statusCode, 422);
  assert.match(refused.body, /must be a percentage such as 4\.5%/);
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
