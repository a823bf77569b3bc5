import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import { addRouteRow, addStockRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import type { By } from "../activity/record-activity.ts";
import { readPricedProducts } from "../catalog/prices/priced-products.ts";
import { purchasePrice } from "../catalog/prices/purchase-price.ts";
import { removePrice, type SetPriceInput, setPrice } from "../catalog/prices/set-price.ts";
import { setRate } from "../fx/set-rate.ts";
import { PRICING_DEFAULTS } from "../lib/settings/pricing-config.ts";
import { enableRoute, stopOvercharge } from "../suppliers/overcharges/route-pauses.ts";
import { refreshSupply } from "../suppliers/refresh-supply.ts";
import { explainPrice } from "./explain-price.ts";
import { sayPrice } from "./explanation.ts";
import { followSale } from "./follow-sale.ts";
import { countNotForSale, findSaleLag, listNotForSale, type SaleFilter } from "./not-for-sale.ts";
import { publishPrices } from "./publish-prices.ts";
import { type RecomputeDeps, recomputeChanged } from "./recompute-prices.ts";
import { listRules } from "./rule-queries.ts";
import { removeRule, setRule } from "./set-rule.ts";

const HOUR_MS = 3_600_000;
const BY: By = { actor: { kind: "command", id: "scrip" } };
const EVERY = { for: "all", on: "all", kind: "over_cost", value: "5%" };
/** `npm run fuzz` has more of them. */
const SHOPS = sizeFor("fuzz", { share: 1, wide: 3, full: 20 });
const STEPS = 20;

const clock = createHandClock(new Date("2030-06-03T12:00:00.000Z"));
let scrip: TestApp;
let deps: RecomputeDeps;
let run: (statement: string) => Promise<unknown>;
let stock: string;
let remote: string;

before(async () => {
  scrip = await createTestApp();
  deps = { db: scrip.db, clock, settings: PRICING_DEFAULTS.pricing };
  run = (statement) => scrip.db.rows(raw(statement));
  stock = await addSupplierRow(scrip.db);
  remote = await addSupplierRow(scrip.db, { kind: "scrip" });
});
after(() => scrip.close());

/** What the loops of a worker do, in their order. */
async function settle(): Promise<void> {
  await refreshSupply(scrip.db, undefined, clock.now());
  await recomputeChanged(deps);
  await followSale(deps);
}

async function listed(filter: SaleFilter = {}, limit = 7): Promise<string[]> {
  const all: string[] = [];
  let after: string | undefined;
  do {
    const page = await listNotForSale(scrip.db, filter, { after, limit });
    all.push(
      ...page.data.map((one) => `${one.productId} ${one.priceList || "own"} ${one.currency} ${one.reason}`),
    );
    after = page.next;
  } while (after !== undefined);
  return all;
}

test("each reason is found, the first of several counts, and the list goes with it", async () => {
  const { db } = scrip;
  const reseller = await scrip.addReseller({ currency: "USD" });
  const eur = await scrip.addReseller({ currency: "EUR" });
  const names = ["hidden", "routeless", "off", "resting", "empty", "costless", "unruled", "dear", "waiting"];
  await addProducts(
    db,
    names.map((id) => ({ id, faceValue: { amount: "100.00", currency: "USD", unit: "USD", isMoney: true } })),
  );
  const off = await addSupplierRow(db, { kind: "scrip", enabled: false });
  const resting = await addSupplierRow(db, { kind: "scrip" });
  await db.rows(
    sql`update suppliers set open_until = ${new Date(clock.now().getTime() + HOUR_MS)} where id = ${resting}`,
  );
  for (const [productId, supplierId, costMinor] of [
    ["hidden", remote, 8_000n],
    ["off", off, 8_000n],
    ["resting", resting, 8_000n],
    ["empty", stock, 8_000n],
    ["unruled", remote, 8_000n],
    ["dear", remote, 9_900n],
    ["waiting", remote, 8_000n],
  ] as const)
    await addRouteRow(db, { productId, supplierId, costMinor });
  await addRouteRow(db, { productId: "costless", supplierId: remote });
  await run("update products set hidden = true where id in ('hidden', 'routeless')");
  await run("update products set hidden = false, brand = 'Ruled' where id <> 'hidden'");
  await run("update products set brand = null where id = 'unruled'");
  await setRule(db, clock, BY, { ...EVERY, on: "brand:Ruled" });
  await settle();
  assert.deepEqual(await listed({ priceList: "standard", resellerId: reseller.id }), [
    "hidden standard USD hidden",
    "routeless standard USD no_route",
    "off standard USD supplier_disabled",
    "resting standard USD route_paused",
    "empty standard USD out_of_stock",
    "costless standard USD no_cost",
    "unruled standard USD no_price",
    "dear standard USD above_face_value",
    "waiting standard USD withheld",
  ]);
  const inEuros = await listed({ resellerId: eur.id, reason: "no_rate" });
  assert.deepEqual(
    inEuros,
    ["dear", "unruled", "waiting"].map((id) => `${id} standard EUR no_rate`),
  );
  assert.deepEqual(
    (await countNotForSale(db, { resellerId: eur.id })).map(({ reason, products }) => [reason, products]),
    [
      ["hidden", 1],
      ["no_route", 1],
      ["supplier_disabled", 1],
      ["route_paused", 1],
      ["out_of_stock", 1],
      ["no_rate", 3],
      ["no_cost", 1],
    ],
  );
  const explain = (productId: string) =>
    explainPrice(db, clock, deps.settings, { productId, priceList: "standard", currency: "USD" });
  const dear = sayPrice(await explain("dear"));
  assert.match(dear, /^dear for list standard in USD cannot be sold, because the price is above/);
  assert.equal((await explain("off")).blocked, "supplier_disabled");
});

test("a price that is published leaves the list, one that is unlisted for a reseller is its own entry", async () => {
  const { db } = scrip;
  const other = await scrip.addReseller({ currency: "USD" });
  await publishPrices(db, clock, BY, { upToId: 1_000_000n });
  assert.notEqual(await findSaleLag(db), undefined, "it says that a change waits");
  await settle();
  assert.equal(await findSaleLag(db), undefined);
  assert.deepEqual(await listed({ reason: "withheld" }), []);
  await run(`insert into unlisted_products (reseller_id, product_id) values ('${other.id}', 'waiting')`);
  await settle();
  assert.deepEqual(await listed({ reason: "unlisted" }), ["waiting own USD unlisted"]);
  assert.deepEqual(await listed({ resellerId: other.id, words: ["WAIT"] }), ["waiting own USD unlisted"]);
  assert.deepEqual(await listed({ priceList: "standard", words: ["waiting", "ruled"] }), [
    "waiting standard EUR no_rate",
  ]);
});

test("a route that was paused for its price takes its product out, and the entry ends with the pause", async () => {
  const { db } = scrip;
  const productId = "charged";
  await addProducts(db, [{ id: productId }]);
  await addRouteRow(db, { productId, supplierId: remote, costMinor: 975n });
  const target = { kind: "list", priceList: "standard", currency: "USD" } as const;
  await setPrice(db, clock, { productId, target, amount: "20.00", strike: undefined });
  await settle();
  assert.deepEqual(await listed({ productId, priceList: "standard", reason: "route_paused" }), []);
  await stopOvercharge(db, clock, {
    ...{ productId, supplierId: remote, price: { amountMinor: 1_024n, currency: "USD" } },
    purchase: { orderId: "ord_1", lineIndex: 0, unitIndex: 0, attempt: 1 },
    limit: { expectedMinor: 975n, maxMinor: 994n, currency: "USD" },
  });
  await settle();
  assert.deepEqual(await listed({ productId, priceList: "standard", reason: "route_paused" }), [
    "charged standard EUR route_paused",
    "charged standard USD route_paused",
  ]);
  await enableRoute(db, clock, { productId, supplierId: remote }, BY);
  await settle();
  assert.deepEqual(await listed({ productId, reason: "route_paused" }), []);
});

test("the time is that of the first look, and only what was on sale has left", async () => {
  const { db } = scrip;
  const entries = () =>
    db.rows<{ id: string; reason: string; since: Date; left: boolean }>(sql`
      select product_id as id, reason, since, left_sale as left from not_for_sale
      where product_id in ('waiting', 'empty', 'new') and price_list <> '' and currency = 'USD' order by product_id`);
  const [empty] = await entries();
  assert.deepEqual([empty?.id, empty?.left], ["empty", false]);
  clock.advance(HOUR_MS);
  await run("update products set hidden = true where id in ('waiting', 'empty')");
  await addProducts(db, [{ id: "new" }]);
  await settle();
  assert.deepEqual(await entries(), [
    { id: "empty", reason: "hidden", since: empty?.since, left: false },
    { id: "new", reason: "no_route", since: clock.now(), left: false },
    { id: "waiting", reason: "hidden", since: clock.now(), left: true },
  ]);
  await run("update products set hidden = false where id = 'waiting'");
  await settle();
  assert.deepEqual(
    (await entries()).map(({ id }) => id),
    ["empty", "new"],
  );
});

test(`what is in the list cannot be bought, and what is not can (seed ${SEED})`, async (t) => {
  for (let shop = 0; shop < SHOPS; shop += 1)
    await t.test(`shop ${shop}`, () => checkShop(createRandom(SEED + shop), `s${shop}`));
});

async function checkShop(random: ReturnType<typeof createRandom>, shop: string): Promise<void> {
  const { db } = scrip;
  const ids = Array.from({ length: 8 }, (_, index) => `${shop}-${index}`);
  await addProducts(
    db,
    ids.map((id) => ({
      id,
      faceValue: { amount: "100.00", currency: "USD", unit: "USD", isMoney: random.chance(0.8) },
    })),
  );
  const resellers = await Promise.all(
    ["USD", "USD", "EUR", "CHF"].map((currency) => scrip.addReseller({ currency })),
  );
  const resellerId = () => random.pick(resellers).id;
  const id = () => random.pick(ids);
  const flip = (column: string) => run(`update products set ${column} = not ${column} where id = '${id()}'`);
  const price = (): SetPriceInput => {
    const reseller = random.pick(resellers);
    const currency = random.pick(["USD", "EUR"]);
    return {
      ...{ productId: id(), amount: String(80 + random.below(30)), strike: undefined },
      target: random.chance(0.5)
        ? { kind: "reseller", resellerId: reseller.id, currency: reseller.currency }
        : { kind: "list", priceList: random.pick(["standard", "gold"]), currency },
    };
  };
  const steps: (() => Promise<unknown>)[] = [
    () => flip("hidden"),
    () => flip("active"),
    () =>
      addRouteRow(db, {
        productId: id(),
        supplierId: remote,
        costMinor: BigInt(8_000 + random.below(3_000)),
      }),
    () =>
      addRouteRow(db, {
        productId: id(),
        supplierId: stock,
        ...(random.chance(0.5) ? { costMinor: 8_000n } : {}),
      }),
    () => addStockRow(db, { productId: id(), supplierId: stock }),
    () => run(`delete from codes where product_id = '${id()}'`),
    () => run(`delete from supplier_routes where product_id = '${id()}'`),
    () => run(`update suppliers set enabled = not enabled where id = '${random.pick([stock, remote])}'`),
    () =>
      run(`insert into unlisted_products (reseller_id, product_id) values ('${resellerId()}', '${id()}')`),
    () => run(`delete from unlisted_products where product_id = '${id()}'`),
    () =>
      run(
        `update resellers set price_list = '${random.pick(["gold", "standard"])}' where id = '${resellerId()}'`,
      ),
    () => setPrice(db, clock, price()),
    () => removePrice(db, price()),
    () =>
      setRule(db, clock, BY, {
        ...EVERY,
        on: `product:${id()}`,
        for: random.pick(["all", "list:gold", `reseller:${resellerId()}`]),
      }),
    async () => {
      const rules = await listRules(db, clock.now());
      if (rules.length > 0) await removeRule(db, clock, BY, random.pick(rules).id);
    },
    () =>
      setRate(db, clock, BY, {
        pair: random.pick(["USD/EUR", "USD/CHF"]),
        rate: `0.9${random.below(9)}`,
        until: undefined,
      }),
    async () => clock.advance(random.pick([HOUR_MS, 25 * HOUR_MS])),
    () => publishPrices(db, clock, BY, { upToId: 1_000_000n }),
  ];
  for (let step = 0; step < STEPS; step += 1) {
    for (let more = random.below(4); more >= 0; more -= 1)
      await random
        .pick(steps)()
        .catch((error: Error) => {
          assert.match(`${error.name} ${error.message}`, /RangeError|unique|duplicate|Problem/);
        });
    await settle();
    for (const reseller of resellers) {
      const { products } = await readPricedProducts(db, reseller.id, ids);
      const bought = ids.filter((one) => {
        const row = products.get(one);
        return row !== undefined && typeof purchasePrice(row, "live") === "bigint";
      });
      const unsold = new Set((await listed({ resellerId: reseller.id })).map((text) => text.split(" ")[0]));
      assert.deepEqual(
        ids.filter((one) => !unsold.has(one)),
        bought,
        `step ${step}, ${reseller.id}`,
      );
    }
  }
  const followed = await listed({}, 1_000);
  await run("insert into sale_changes (product_id) values ('')");
  await settle();
  assert.deepEqual(await listed({}, 1_000), followed, "nothing that changes a reason was missed");
}
