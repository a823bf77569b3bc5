import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addListPrice, addProducts } from "../../../testing/builders/builders.ts";
import { createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { type DashboardVisitor, signInAs } from "../../../testing/people/dashboard-visitor.ts";
import { listActivity } from "../../activity/list-activity.ts";
import { newFormId } from "../../web/form/hidden-fields.ts";

const HOSTILE = "<script>alert(1)</script>";
const TOP_UP_FIELDS = [
  { key: "playerId", type: "text", required: true, regex: "^[0-9]{4,12}$", options: [] },
  {
    key: "region",
    type: "select",
    required: true,
    regex: "",
    options: [
      { value: "eu", label: "Europe", parentValue: "" },
      { value: "us", label: "America", parentValue: "" },
    ],
  },
  {
    key: "server",
    type: "select",
    required: false,
    regex: "",
    options: [
      { value: "eu1", label: "Server 1", parentValue: "eu" },
      { value: "us1", label: "Server 1", parentValue: "us" },
    ],
  },
];

let shop: Shop;
let developer: DashboardVisitor;
let viewer: DashboardVisitor;

before(async () => {
  shop = await openShop();
  const { db } = shop.scrip;
  await addProducts(db, [
    { id: "nimbus-25", name: "Nimbus Store 25 USD" },
    { id: "nimbus-50", name: "Nimbus Store 50 USD", supply: "empty", faceValue: usd("50.00") },
    { id: "soon", name: "=Soon", supply: "none" },
    { id: "secret", name: "Nimbus hidden", hidden: true },
    {
      id: "crystals",
      name: `Crystals ${HOSTILE}`,
      supply: "none",
      faceValue: { amount: "325", currency: "USD", unit: "UC", isMoney: false },
      inputFields: TOP_UP_FIELDS,
    },
  ]);
  await db.rows(sql`update products set type = 'top_up' where id = 'crystals'`);
  await addListPrice(db, { productId: "nimbus-25", amountMinor: 2_325n });
  await addListPrice(db, { productId: "nimbus-50", amountMinor: 4_900n, strikeMinor: 5_200n });
  await addListPrice(db, { productId: "crystals", amountMinor: 460n, strikeMinor: 500n });
  developer = await signInAs(shop.scrip, shop.buyer.resellerId, "developer");
  viewer = await signInAs(shop.scrip, shop.buyer.resellerId, "viewer");
});
after(() => shop.close());

const usd = (amount: string) => ({ amount, currency: "USD", unit: "USD", isMoney: true });
const listed = async (query: string): Promise<string[]> => {
  const { body } = await viewer.get(`/dashboard/catalog?${query}`);
  return [...body.matchAll(/href="\/dashboard\/catalog\/([\w-]+)/g)].map(([, id]) => id ?? "");
};

test("the catalog is searched by words and type, and hides what the reseller cannot see", async () => {
  assert.deepEqual(await listed(""), ["crystals", "nimbus-25", "nimbus-50", "soon"]);
  assert.deepEqual(await listed("q=store+NIMBUS"), ["nimbus-25", "nimbus-50"]);
  assert.deepEqual(await listed("type=top_up"), ["crystals"]);
  assert.deepEqual(await listed("q=25&type=gift_card"), ["nimbus-25"]);
  assert.deepEqual(await listed("q=%25"), []);
  assert.deepEqual(await listed("cursor=nimbus-25"), ["nimbus-50", "soon"]);
  assert.deepEqual(await listed("cursor=%00&q=%00"), ["crystals", "nimbus-25", "nimbus-50", "soon"]);
  assert.match((await viewer.get("/dashboard/catalog?q=nothing")).body, /No products match/);
});

test("each product has price, face value, discount and availability", async () => {
  const { body } = await viewer.get("/dashboard/catalog");
  for (const text of ["23.25 USD", "25.00 USD", "7.0 %", "52.00 USD", "out_of_stock", "325 UC", "8.0 %"])
    assert.ok(body.includes(text), text);
  assert.match(body, /no price yet/);
  assert.doesNotMatch(body, /<script>alert|Try it/);
  assert.match((await developer.get("/dashboard/catalog")).body, /catalog\/nimbus-25#try/);
});

test("the CSV file has what the search finds, without formulas", async () => {
  const { body, headers } = await viewer.get("/dashboard/catalog.csv");
  assert.equal(headers["content-type"], "text/csv; charset=utf-8");
  const lines = body.trim().split("\r\n");
  assert.equal(lines.length, 5);
  assert.match(
    body,
    /nimbus-50,Nimbus Store 50 USD,gift_card,50.00,USD,49.00,52.00,USD,2.0,,1,10,out_of_stock/,
  );
  assert.match(body, /\r\nsoon,'=Soon,/);
  assert.equal((await viewer.get("/dashboard/catalog.csv?q=crystals")).body.trim().split("\r\n").length, 2);
});

test("a product that is hidden and one that does not exist look the same", async () => {
  for (const id of ["secret", "missing", "%00"])
    assert.equal((await developer.get(`/dashboard/catalog/${id}`)).statusCode, 404);
  assert.equal((await developer.post("/dashboard/catalog/secret/try", { quantity: "1" })).statusCode, 404);
  assert.equal((await shop.scrip.app.inject({ url: "/dashboard/catalog" })).statusCode, 303);
});

test("the form of a product has its input fields, for those who may place test orders", async () => {
  const { body } = await developer.get("/dashboard/catalog/crystals");
  assert.match(body, /name="input.playerId"/);
  assert.equal((await developer.get("/dashboard/catalog/crystals/try")).statusCode, 200);
  assert.match(body, /<option value="eu1">Europe: Server 1<\/option>/);
  assert.match(body, /This places a test order/);
  assert.doesNotMatch(body, /<script>alert/);
  assert.doesNotMatch((await viewer.get("/dashboard/catalog/crystals")).body, /name="input.playerId"/);
  assert.equal((await viewer.post("/dashboard/catalog/crystals/try", FINE)).statusCode, 403);
  assert.match((await developer.get("/dashboard/catalog/soon")).body, /has no price yet/);
});

const FINE = { quantity: "2", "input.playerId": "55120931", "input.region": "eu", "input.server": "eu1" };

test("a refused form comes back with what was typed and the error at its field", async () => {
  const wrong = { ...FINE, quantity: "99", "input.playerId": "no number", "input.server": "us1" };
  const reply = await developer.post("/dashboard/catalog/crystals/try", wrong);
  assert.equal(reply.statusCode, 422);
  assert.match(reply.body, /id="try-quantity-error">Enter a whole number from 1 to 10/);
  assert.match(reply.body, /id="try-input.playerId-error">/);
  assert.match(reply.body, /id="try-input.server-error">/);
  assert.match(reply.body, /value="no number"/);
  const empty = await developer.post("/dashboard/catalog/crystals/try", { "input.region": "" });
  assert.match(empty.body, /name="input.region"><option value="">Choose…/);
  const unnamed = { ...FINE, _form: "" };
  assert.equal((await developer.post("/dashboard/catalog/crystals/try", unnamed)).statusCode, 422);
  const [count] = await shop.scrip.db.rows(sql`select count(*)::integer as count from orders`);
  assert.deepEqual(count, { count: 0 });
});

test("a test order is placed once as the person who tries it, and its page follows it to its codes", async () => {
  const form = { ...FINE, _form: newFormId(), reference: "trial" };
  const reply = await developer.post("/dashboard/catalog/crystals/try", form);
  assert.equal(reply.statusCode, 303, reply.body);
  const to = String(reply.headers.location);
  assert.match(to, /^\/dashboard\/orders\/ord_\w+\?env=test$/);
  const again = await developer.post("/dashboard/catalog/crystals/try?env=test", form);
  assert.equal(again.headers.location, to);
  const changed = await developer.post("/dashboard/catalog/crystals/try", { ...form, quantity: "1" });
  assert.equal(changed.statusCode, 409);
  const pending = await developer.get(to);
  assert.match(pending.body, /up-poll/);
  assert.ok(pending.body.includes(`by <span class="id">${developer.email}</span>`));
  for (const text of ["playerId: 55120931", "region: eu", "server: eu1"])
    assert.ok(pending.body.includes(text), text);
  await createTestFulfiller(shop.scrip).drain();
  const completed = await developer.get(to);
  assert.match(completed.body, /<span class="chip good">completed<\/span>/);
  assert.doesNotMatch(completed.body, /up-poll/);
  const { data } = await listActivity(
    shop.scrip.db,
    { kind: "staff" },
    { action: "order.placed" },
    { limit: 9 },
  );
  assert.deepEqual(
    data.map(({ actor, environment, after: what }) => [actor.id, environment, what]),
    [[developer.id, "test", { product: "crystals", quantity: 2 }]],
  );
});

test("a scenario decides how the test order ends", async () => {
  const form = { quantity: "1", scenario: "refunded" };
  const reply = await developer.post("/dashboard/catalog/nimbus-50/try", form);
  await createTestFulfiller(shop.scrip).drain();
  const { body } = await developer.get(String(reply.headers.location));
  assert.match(body, /<span class="chip quiet">refunded<\/span>/);
  assert.match(body, /49.00 USD<\/span> refunded/);
});
