import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import { addRouteRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { eventually } from "../../testing/eventually.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import type { By } from "../activity/record-activity.ts";
import { removePrice, setPrice } from "../catalog/prices/set-price.ts";
import { setRate } from "../fx/set-rate.ts";
import { PRICING_DEFAULTS } from "../lib/settings/pricing-config.ts";
import { explainPrice } from "./explain-price.ts";
import { toExplanation } from "./explanation.ts";
import type { RuleText } from "./parse-rule.ts";
import { listProposals } from "./proposal-queries.ts";
import { publishPrices } from "./publish-prices.ts";
import { type RecomputeDeps, recomputeAll, recomputeChanged } from "./recompute-prices.ts";
import { awaitPricing } from "./recompute-queries.ts";
import { listRules } from "./rule-queries.ts";
import { removeRule, setRule } from "./set-rule.ts";

const HOUR_MS = 3_600_000;
const BY: By = { actor: { kind: "command", id: "scrip" } };
const clock = createHandClock(new Date("2030-06-03T12:00:00.000Z"));
let scrip: TestApp;
let deps: RecomputeDeps;
let supplierId: string;
let usdReseller: string;
let eurReseller: string;

before(async () => {
  scrip = await createTestApp();
  deps = { db: scrip.db, clock, settings: PRICING_DEFAULTS.pricing };
  usdReseller = (await scrip.addReseller({ currency: "USD" })).id;
  eurReseller = (await scrip.addReseller({ currency: "EUR" })).id;
  supplierId = await addSupplierRow(scrip.db, { kind: "scrip" });
  await addProducts(scrip.db, [{ id: "card" }, { id: "game" }]);
  await scrip.db.rows(
    sql`update products set face_value_amount = '100.00', brand = 'Nimbus' where id = 'card'`,
  );
  await scrip.db.rows(sql`update products set face_value_amount = '100.00' where id = 'game'`);
  await addRouteRow(scrip.db, { productId: "card", supplierId, costMinor: 8_000n });
});

after(() => scrip.close());

const rule = (text: Partial<RuleText>) =>
  setRule(scrip.db, clock, BY, { for: "all", on: "all", kind: "over_cost", value: "5%", ...text });
const pricesOf = async (productId: string): Promise<string[]> =>
  (
    await scrip.db.rows<{ price: string }>(sql`
      select price_list || ' ' || currency || ' ' || amount_minor || case when by_hand then ' by hand' else '' end as price
      from list_prices where product_id = ${productId}
      union all select reseller_id || ' ' || amount_minor from reseller_prices where product_id = ${productId}
      order by 1`)
  ).map(({ price }) => price);
const proposals = async () =>
  (await listProposals(scrip.db, { afterId: 0n, limit: 100 })).map(
    (one) =>
      `${one.productId} ${one.priceList}${one.resellerId} ${one.currency} ${one.oldMinor} → ${one.newMinor}`,
  );
const publishAll = () => publishPrices(scrip.db, clock, BY, { upToId: 1_000_000n });
const setCost = (costMinor: bigint) =>
  scrip.db.rows(sql`update supplier_routes set cost_minor = ${costMinor} where product_id = 'card'`);
const explain = async (resellerId: string) =>
  toExplanation(
    await explainPrice(scrip.db, clock, PRICING_DEFAULTS.pricing, { productId: "card", resellerId }),
  );

test("a first rule proposes prices, which are published together and explained; a missing rate gives none", async () => {
  await rule({});
  assert.equal((await recomputeChanged(deps))?.propose, 1);
  assert.deepEqual(await proposals(), ["card standard USD null → 8400"]);
  assert.deepEqual(await pricesOf("card"), []);
  assert.deepEqual(await publishAll(), { published: 1 });
  assert.deepEqual(await pricesOf("card"), ["standard USD 8400"]);
  assert.equal(await recomputeChanged(deps), undefined, "nothing changed since");
  assert.deepEqual(await proposals(), []);
  const explained = await explain(usdReseller);
  assert.equal(explained.price?.amountText, "84.00");
  assert.deepEqual([explained.rate, explained.floorReached, explained.landed?.amount], [null, false, 8_000]);
  assert.match(explained.sentence, /^card for rsl_\S+ costs 84\.00 USD: 5% above landed cost, by rul_/);
  assert.match((await explain(eurReseller)).sentence, /cannot be sold, because there is no exchange rate/);
});

test("a small move of cost or rate is published by itself, a larger one waits; the cross rate is exact", async () => {
  await setRate(scrip.db, clock, BY, { pair: "EUR/USD", rate: "1.25", until: undefined });
  await recomputeChanged(deps);
  assert.deepEqual(await proposals(), ["card standard EUR null → 6720"]);
  await publishAll();
  await setCost(8_200n);
  assert.equal((await recomputeChanged(deps))?.publish, 2, "2.5 % is within 300 basis points");
  assert.deepEqual(await pricesOf("card"), ["standard EUR 6888", "standard USD 8610"]);
  await setCost(9_000n);
  assert.equal((await recomputeChanged(deps))?.propose, 2);
  assert.deepEqual(await proposals(), ["card standard EUR 6888 → 7560", "card standard USD 8610 → 9450"]);
  await setCost(8_200n);
  await recomputeChanged(deps);
  assert.deepEqual(await proposals(), [], "what is no longer true is no longer proposed");
});

test("a proposal that has changed since it was shown is not published under its old id", async () => {
  await setCost(9_000n);
  await recomputeChanged(deps);
  const [shown] = await listProposals(scrip.db, { afterId: 0n, limit: 1 });
  await setCost(9_100n);
  await recomputeChanged(deps);
  await assert.rejects(publishPrices(scrip.db, clock, BY, { ids: [shown?.id ?? 0n] }), /changed or are gone/);
  const ids = (await listProposals(scrip.db, { afterId: 0n, limit: 10 })).map(({ id }) => id);
  assert.deepEqual(await publishPrices(scrip.db, clock, BY, { ids }), { published: 2 });
  assert.deepEqual(await pricesOf("card"), ["standard EUR 7644", "standard USD 9555"]);
  await setCost(8_200n);
  await recomputeAll(deps);
  await publishAll();
});

test("a rate that is too old makes what depends on it unsellable at once, and a new one brings it back", async () => {
  const before = await pricesOf("card");
  clock.advance(24 * HOUR_MS + 1);
  assert.equal((await recomputeChanged(deps))?.withhold, 1, "time alone is a change");
  const [moved] = await scrip.db.rows<{ actor: string; withheld: number }>(sql`
    select actor_kind as actor, (after ->> 'withheld')::integer as withheld
    from activity where action = 'prices.moved' order by id desc limit 1`);
  assert.deepEqual(moved, { actor: "system", withheld: 1 });
  assert.deepEqual(await pricesOf("card"), ["standard USD 8610"]);
  const withheld = await explain(eurReseller);
  assert.deepEqual(
    [withheld.unsellable, withheld.published, withheld.publishedFrom],
    ["rate_stale", null, null],
  );
  await setRate(scrip.db, clock, BY, { pair: "EUR/USD", rate: "1.2510", until: undefined });
  await recomputeChanged(deps);
  assert.deepEqual(await pricesOf("card"), ["standard EUR 6883", "standard USD 8610"]);
  assert.notDeepEqual(before, await pricesOf("card"));
  assert.equal((await scrip.db.rows(sql`select from withheld_prices`)).length, 0);
});

test("a price set by hand is the strongest, keeps its cost on record, and leaves room for the rule when it is removed", async () => {
  const target = { kind: "list", priceList: "standard", currency: "USD" } as const;
  await setPrice(scrip.db, clock, { productId: "card", target, amount: "70.00", strike: undefined });
  await recomputeChanged(deps);
  assert.deepEqual(await pricesOf("card"), ["standard EUR 6883", "standard USD 7000 by hand"]);
  const [row] = await scrip.db.rows<{ basis: string }>(
    sql`select basis from list_prices where product_id = 'card' and currency = 'USD'`,
  );
  assert.equal(row?.basis, `hand|8200|8200|USD|${supplierId}||`);
  assert.match((await explain(usdReseller)).sentence, /set by hand; .* below the floor of 82\.00 USD/);
  await removePrice(scrip.db, { productId: "card", target });
  await recomputeChanged(deps);
  assert.deepEqual(await proposals(), ["card standard USD null → 8610"]);
  await publishAll();
});

test("the strongest rule wins, one scope has one rule at a time, and a reseller's rule makes its own price", async () => {
  const own = await rule({ for: `reseller:${usdReseller}`, on: "product:card", kind: "fixed", value: "90" });
  assert.equal(own.currency, "USD");
  await rule({ on: "brand:Nimbus", value: "6%", round: "x.99" });
  await recomputeChanged(deps);
  await publishAll();
  assert.deepEqual(await pricesOf("card"), [`${usdReseller} 9000`, "standard EUR 6999", "standard USD 8699"]);
  const later = new Date(clock.now().getTime() + HOUR_MS);
  await assert.rejects(rule({ from: later }), /has the same scope in an overlapping period/);
  await assert.rejects(
    rule({ kind: "fixed", value: "9.50" }),
    /set --currency: resellers pay this price in EUR, USD/,
  );
  await assert.rejects(rule({ on: "product:none" }), /there is no product "none"/);
  const replaced = await rule({ value: "7%" });
  assert.match(replaced.id, /^rul_/);
  const tie = sql`
    insert into price_rules (id, who, what, kind, value_bp, created_at) values ('rul_x', 'all', 'all', 'over_cost', 1, now())`;
  await assert.rejects(scrip.db.rows(tie), /has the same scope in the same period/);
  await removeRule(scrip.db, clock, BY, own.id);
  await recomputeChanged(deps);
  assert.deepEqual(await proposals(), [`card ${usdReseller} USD 9000 → null`]);
  await publishAll();
  assert.deepEqual(await pricesOf("card"), ["standard EUR 6999", "standard USD 8699"]);
});

test("above face value is not sold unless the rule allows it; below the floor is raised and marked", async () => {
  await setCost(9_900n);
  await recomputeChanged(deps);
  assert.deepEqual(await pricesOf("card"), [], "104.94 is above 100.00 USD, 83.89 above 79.94 EUR");
  await rule({ on: "brand:Nimbus", value: "6%", mayExceedFace: true });
  await recomputeChanged(deps);
  await publishAll();
  assert.deepEqual(await pricesOf("card"), ["standard EUR 8389", "standard USD 10494"]);
  await rule({ on: "brand:Nimbus", kind: "off_face", value: "20%", minMargin: "1%" });
  await recomputeChanged(deps);
  await publishAll();
  assert.deepEqual(await pricesOf("card"), ["standard EUR 7993", "standard USD 9999"]);
  const explained = await explain(usdReseller);
  assert.deepEqual([explained.floorReached, explained.floor?.amountText], [true, "99.99"]);
  const [marked] = await scrip.db.rows<{ count: number }>(
    sql`select count(*)::integer as count from list_prices where at_floor`,
  );
  assert.equal(marked?.count, 2);
});

test("rates are never changed or deleted", async () => {
  await assert.rejects(scrip.db.rows(sql`update fx_rates set rate = 2`));
  await assert.rejects(scrip.db.rows(sql`delete from fx_rates`));
  await assert.rejects(scrip.db.rows(sql`update price_rules set value_bp = 1`));
});

test("a change that comes while a pass waits for another is taken by it, and no other one is forgotten", async () => {
  const countChanges = async () => (await scrip.db.rows(sql`select from price_changes`)).length;
  await recomputeAll(deps);
  await setCost(8_200n);
  let waiting: Promise<unknown> | undefined;
  await scrip.db.transaction(async (other) => {
    await awaitPricing(other);
    waiting = recomputeAll(deps);
    await eventually("a pass that waits", async () => {
      const [row] = await scrip.db.rows(sql`
        select from pg_locks l join pg_database d on d.oid = l.database
        where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`);
      return row;
    });
    // What the other process has taken into account, and what changed after that.
    await scrip.db.rows(sql`delete from price_changes`);
    await setCost(8_300n);
  });
  await waiting;
  assert.equal(await countChanges(), 0);
});

test("while a reseller's own price is withheld it pays no list price either; once its rule is gone, it does again", async () => {
  const { key } = await scrip.addKey(eurReseller, { env: "test" });
  const read = async (): Promise<{ price?: { amount: number }; purchasable: boolean }> =>
    (await scrip.call("GET", "/v1/products/card", { key })).json().product;
  const purchasable = async (): Promise<number> =>
    (await scrip.call("GET", "/v1/catalog?q=card&purchasable=true", { key })).json().data.length;
  const target = { kind: "list", priceList: "standard", currency: "EUR" } as const;
  await setPrice(scrip.db, clock, { productId: "card", target, amount: "70.00", strike: undefined });
  await setRate(scrip.db, clock, BY, { pair: "EUR/USD", rate: "1.25", until: undefined });
  const own = await rule({ for: `reseller:${eurReseller}`, on: "product:card", value: "10%" });
  await recomputeChanged(deps);
  assert.equal((await read()).price?.amount, 7_000, "the first price of its own waits, so the list's holds");
  const waiting = await explain(eurReseller);
  assert.deepEqual(
    [waiting.price?.amount, waiting.published?.amount, waiting.publishedFrom],
    [7_304, 7_000, "list"],
  );
  assert.match(
    waiting.sentence,
    /; orders pay 70\.00 EUR, the price of the list standard, until this one is published\.$/,
  );
  await publishAll();
  assert.deepEqual([(await read()).price?.amount, await purchasable()], [7_304, 1]);
  clock.advance(24 * HOUR_MS + 1);
  assert.ok((await recomputeChanged(deps))?.withhold);
  assert.deepEqual(
    [await read().then(({ price, purchasable: can }) => [price, can]), await purchasable()],
    [[undefined, false], 0],
  );
  assert.equal((await explain(eurReseller)).unsellable, "rate_stale");
  await removeRule(scrip.db, clock, BY, own.id);
  await recomputeChanged(deps);
  assert.deepEqual([(await read()).price?.amount, await purchasable()], [7_000, 1]);
  await rule({ for: `reseller:${eurReseller}`, on: "product:card", value: "10%" });
  await recomputeChanged(deps);
  assert.equal((await read()).price?.amount, 7_000, "a rule that gives no price yet leaves the list's, too");
  assert.match(
    (await explain(eurReseller)).sentence,
    /cannot be sold, because the exchange rate is too old.*; orders pay 70\.00 EUR, the price of the list standard, until it has another\.$/,
  );
});

test("a price that no rule gives any more is withheld too once its rate is too old, and then does not come back", async () => {
  for (const { id } of await listRules(scrip.db, clock.now())) await removeRule(scrip.db, clock, BY, id);
  await addProducts(scrip.db, [{ id: "removed" }, { id: "over" }, { id: "faced" }]);
  await scrip.db.rows(
    sql`update products set face_value_amount = '100.00' where id in ('removed', 'over', 'faced')`,
  );
  for (const productId of ["removed", "over"])
    await addRouteRow(scrip.db, { productId, supplierId, costMinor: 8_000n });
  // Its cost is in euros, so only its face value needs a rate.
  await addRouteRow(scrip.db, { productId: "faced", supplierId, costMinor: 6_000n, currency: "EUR" });
  await setRate(scrip.db, clock, BY, { pair: "EUR/USD", rate: "1.25", until: undefined });
  const removed = await rule({ on: "product:removed" });
  const to = new Date(clock.now().getTime() + HOUR_MS);
  await rule({ on: "product:over", to });
  await rule({ on: "product:faced", kind: "off_face", value: "10%", to });
  await recomputeChanged(deps);
  await publishAll();
  const prices = async () => [await pricesOf("removed"), await pricesOf("over"), await pricesOf("faced")];
  const byCost = ["standard EUR 6720", "standard USD 8400"];
  assert.deepEqual(await prices(), [byCost, byCost, ["standard EUR 7200", "standard USD 9000"]]);

  await removeRule(scrip.db, clock, BY, removed.id);
  clock.advance(HOUR_MS);
  await recomputeChanged(deps);
  assert.deepEqual(await prices(), [byCost, byCost, ["standard EUR 7200", "standard USD 9000"]]);
  assert.ok(
    (await proposals()).includes("removed standard EUR 6720 → null"),
    "its removal waits for a person",
  );

  clock.advance(23 * HOUR_MS + 1);
  await recomputeChanged(deps);
  assert.deepEqual(await prices(), [["standard USD 8400"], ["standard USD 8400"], []]);
  assert.ok(!(await proposals()).includes("removed standard EUR 6720 → null"), "there is nothing to remove");
  assert.ok((await pricesOf("card")).includes("standard EUR 7000 by hand"), "a price by hand stays");
  const withheld = () =>
    scrip.db.rows<{ price: string }>(sql`
      select product_id || ' ' || currency || ' ' || reason as price from withheld_prices
      where product_id in ('removed', 'over', 'faced') order by 1`);
  const stale = ["faced EUR", "faced USD", "over EUR", "removed EUR"].map((one) => `${one} rate_stale`);
  assert.deepEqual(
    (await withheld()).map(({ price }) => price),
    stale,
  );
  await recomputeAll(deps);
  assert.equal((await withheld()).length, stale.length, "the alert stays until there is a rate");

  await setRate(scrip.db, clock, BY, { pair: "EUR/USD", rate: "1.25", until: undefined });
  await recomputeChanged(deps);
  assert.deepEqual(await prices(), [["standard USD 8400"], ["standard USD 8400"], []]);
  assert.deepEqual(await withheld(), []);
});
