import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { TIME_BOUNDS_MS } from "../reports/time-classes.ts";
import { editProduct } from "./edit-product.ts";
import { getCatalogProduct } from "./get-catalog-product.ts";
import { refreshDeliveryTimes } from "./upkeep/refresh-delivery-times.ts";

let scrip: TestApp;
let key: string;

before(async () => {
  scrip = await createTestApp();
  key = (await scrip.addKey((await scrip.addReseller()).id)).key;
  await addProducts(scrip.db, [{ id: "rich" }, { id: "plain" }]);
  await addListPrice(scrip.db, { productId: "rich", amountMinor: 2375n });
});

after(() => scrip.close());

const DETAILS = {
  brand: "Nimbus",
  category: "Games",
  country: "US",
  description: "A gift card.\nIt never expires.",
  redeemInstructions: "Open the store.\n\tEnter the code.",
  terms: "No refunds.",
  imageUrl: "https://img.example/nimbus.png",
};

type Shown = Record<string, unknown>;
const readOne = async (id: string): Promise<Shown> =>
  (await scrip.call("GET", `/v1/products/${id}`, { key })).json().product;
const readAll = async (): Promise<Shown[]> => (await scrip.call("GET", "/v1/catalog", { key })).json().data;

const edit = async (id: string, changes: object) =>
  editProduct(
    { db: scrip.db, clock: scrip.clock },
    id,
    { ...(await getCatalogProduct(scrip.db, id)), ...changes },
    undefined,
    { actor: { kind: "command", id: "test" } },
  );

test("details are in both replies from the next request on, and absent ones are omitted", async () => {
  const before = await readOne("rich");
  for (const name of Object.keys(DETAILS)) assert.equal(name in before, false, name);
  await edit("rich", DETAILS);
  const one = await readOne("rich");
  const inPage = (await readAll()).find(({ id }) => id === "rich");
  for (const [name, value] of Object.entries(DETAILS)) {
    assert.equal(one[name], value);
    assert.equal(inPage?.[name], value);
  }
  assert.ok(String(one.updatedAt) > String(before.updatedAt));
  assert.equal(inPage?.updatedAt, one.updatedAt);
  await edit("rich", { brand: "", terms: "" });
  const after = await readOne("rich");
  assert.deepEqual(["brand" in after, "terms" in after, after.category], [false, false, "Games"]);
});

test("an edit is judged like a row of a file", async () => {
  const refused: [object, RegExp][] = [
    [{ country: "us" }, /The country .*ISO 3166-1/],
    [{ country: "XX" }, /ISO 3166-1/],
    [{ imageUrl: "http://img.example/a.png" }, /The image URL must .* https:/],
    [{ imageUrl: "https://user:pw@img.example/a.png" }, /user name/],
    [{ imageUrl: "https://" }, /https:/],
    [{ brand: "a".repeat(101) }, /at most 100/],
    [{ brand: "two\nlines" }, /line break/],
    [{ description: "\u0000" }, /control character/],
    [{ terms: "x".repeat(4_001) }, /at most 4000/],
  ];
  for (const [changes, reason] of refused) await assert.rejects(edit("rich", changes), reason);
});

const addTimes = (productId: string, day: string, tookMs: number, orders: number) =>
  scrip.db.rows(sql`
    insert into product_order_times (day, product_id, bucket, orders)
    values (${day}::date, ${productId}, report_bucket(${tookMs}), ${orders})
    on conflict (day, product_id, bucket) do update set orders = product_order_times.orders + excluded.orders`);

test("the estimated delivery time is the p95 of 7 days, and absent below 20 orders", async () => {
  const now = new Date("2030-01-31T12:00:00Z");
  await addTimes("rich", "2030-01-31", 1_500, 18);
  await addTimes("rich", "2030-01-24", 3_000, 1_000);
  await addTimes("rich", "2030-01-25", 3_000, 1);
  assert.equal(await refreshDeliveryTimes(scrip.db, now), 0);
  assert.equal("estimatedDeliverySeconds" in (await readOne("rich")), false);
  await addTimes("rich", "2030-01-31", 90_000_000, 1);
  assert.equal(await refreshDeliveryTimes(scrip.db, now), 1);
  // 19 of 20 took at most 3 s, which is in the class up to 3.2 s.
  assert.equal((await readOne("rich")).estimatedDeliverySeconds, 4);
  assert.equal((await readAll()).find(({ id }) => id === "rich")?.estimatedDeliverySeconds, 4);
  assert.equal("estimatedDeliverySeconds" in (await readOne("plain")), false);
  assert.equal(await refreshDeliveryTimes(scrip.db, now), 0);
  assert.equal(await refreshDeliveryTimes(scrip.db, new Date("2030-02-09T00:00:00Z")), 1);
  assert.equal("estimatedDeliverySeconds" in (await readOne("rich")), false);
  const kept = await scrip.db.rows(sql`select from product_order_times`);
  assert.equal(kept.length, 0);
});

test("a class of times has the same bound in SQL, in whole seconds", async () => {
  for (const [bucket, boundMs] of TIME_BOUNDS_MS.entries()) {
    const [row] = await scrip.db.rows<{ seconds: number }>(
      sql`select report_bound_seconds(${bucket}::smallint) as seconds`,
    );
    assert.equal(row?.seconds, Math.max(1, Math.ceil(boundMs / 1_000)), String(bucket));
  }
});
