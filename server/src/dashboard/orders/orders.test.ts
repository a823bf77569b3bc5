import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addBuyer, type Buyer, postOrder } from "../../../testing/builders/buyers.ts";
import { createTestFulfiller, type TestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { type DashboardVisitor, signInAs } from "../../../testing/people/dashboard-visitor.ts";
import { PASSWORD } from "../../../testing/people/people-desk.ts";
import { namePeople } from "../../accounts/people/name-people.ts";
import { PROOF_MS } from "../../accounts/sessions/session-life.ts";
import { listActivity } from "../../activity/list-activity.ts";
import { CODES_LISTED_MAX } from "../../fulfilment/reveal/list-codes.ts";
import { describeKey } from "../../keys/describe-key.ts";

const HOSTILE = `<img src=x onerror=alert(1)>'"&`;
const FORMULA = "=1+2";

let shop: Shop;
let worker: TestFulfiller;
let owner: DashboardVisitor;
let viewer: DashboardVisitor;
let stranger: DashboardVisitor;
let other: Buyer;
let productId: string;
let completedId: string;
let pendingId: string;

before(async () => {
  shop = await openShop();
  worker = createTestFulfiller(shop.scrip);
  other = await addBuyer(shop.scrip);
  owner = await signInAs(shop.scrip, shop.buyer.resellerId, "owner");
  viewer = await signInAs(shop.scrip, shop.buyer.resellerId, "viewer");
  stranger = await signInAs(shop.scrip, other.resellerId, "owner");
  productId = await shop.addStocked([
    { type: "code", code: "SECRET-ONE", pin: "4711" },
    { type: "code", code: "SECRET-TWO" },
    { type: "code", code: FORMULA },
  ]);
  await shop.scrip.db.rows(sql`update products set name = ${`Card ${HOSTILE}`} where id = ${productId}`);
  completedId = await place("first", { quantity: 2, reference: HOSTILE });
  await worker.drain();
  shop.clock.advance(1_000);
  pendingId = await place("second", { quantity: 1, reference: FORMULA });
});
after(() => shop.close());

async function place(
  idempotencyKey: string,
  { quantity, reference }: { quantity: number; reference: string },
): Promise<string> {
  const body = { lines: [{ productId, quantity }], reference };
  const reply = await postOrder(shop.scrip, shop.buyer, idempotencyKey, body);
  assert.equal(reply.statusCode, 202, reply.body);
  return reply.json().order.id;
}

const listed = async (query: string): Promise<string[]> => {
  const { body, statusCode } = await owner.get(`/dashboard/orders?${query}`);
  assert.equal(statusCode, 200, query);
  return [...new Set([...body.matchAll(/\/dashboard\/orders\/(ord_\w+)/g)].map(([, id]) => id ?? ""))];
};
const revealsOf = (orderId: string) =>
  shop.scrip.db.rows(
    sql`select r.actor, code_count as count from code_reveals r where order_id = ${orderId} order by id`,
  );

test("the list shows orders by filter and by free search, in one environment", async () => {
  assert.deepEqual(await listed(""), [pendingId, completedId]);
  assert.deepEqual(await listed("status=completed"), [completedId]);
  assert.deepEqual(await listed("status=&productId=&q="), [pendingId, completedId]);
  assert.deepEqual(await listed(`productId=${productId}&createdFrom=2020-01-01`), [pendingId, completedId]);
  assert.deepEqual(await listed("createdTo=2020-01-01"), []);
  assert.deepEqual(await listed(`q=${completedId}`), [completedId]);
  assert.deepEqual(await listed(`q=+${completedId.slice(0, 20)}+`), [completedId]);
  assert.deepEqual(await listed(`q=${encodeURIComponent(FORMULA)}`), [pendingId]);
  assert.deepEqual(await listed("q=first"), [completedId]);
  assert.deepEqual(await listed("q=first&status=failed"), []);
  assert.deepEqual(await listed("q=fir"), []);
  assert.deepEqual(await listed("env=test"), []);
  assert.match((await owner.get("/dashboard/orders?env=test")).body, /No orders yet/);
  assert.match((await owner.get("/dashboard/orders?q=nothing%00")).body, /No orders match/);
  assert.equal((await owner.get("/dashboard/orders?status=lost")).statusCode, 400);
});

test("a list is read page by page, and its links keep filters and environment", async () => {
  const ids: string[] = [];
  const { key } = await shop.scrip.addKey(other.resellerId, { env: "test" });
  for (let number = 0; number < 51; number += 1) {
    const reply = await postOrder(shop.scrip, { ...other, key }, `many ${number}`, {
      lines: [{ productId, quantity: 1 }],
      reference: "shared",
    });
    ids.unshift(reply.json().order.id);
  }
  const first = await stranger.get("/dashboard/orders?env=test&q=shared");
  const next = /rel="next" href="([^"]+)"/.exec(first.body)?.[1]?.replaceAll("&amp;", "&") ?? "";
  assert.match(next, /^\/dashboard\/orders\?q=shared&env=test&cursor=/);
  const second = await stranger.get(next);
  const [last] = [...second.body.matchAll(/\/dashboard\/orders\/(ord_\w+)\?env=test/g)].map(([, id]) => id);
  assert.equal(last, ids.at(-1));
  assert.equal((await stranger.get(next.replace("shared", "another"))).statusCode, 400);
  const { body } = await stranger.get("/dashboard/orders.csv?env=test&q=shared");
  assert.deepEqual(
    body
      .split("\r\n")
      .slice(1, -1)
      .map((line) => line.split(",")[0]),
    ids,
  );
});

test("the CSV file has the orders of the filter, and no cell of it is a formula", async () => {
  const reply = await owner.get("/dashboard/orders.csv?status=pending");
  assert.equal(reply.headers["content-type"], "text/csv; charset=utf-8");
  assert.match(String(reply.headers["content-disposition"]), /filename="orders-live.csv"/);
  const [heads, row, end] = reply.body.split("\r\n");
  assert.equal(
    heads,
    "id,status,createdAt,updatedAt,reference,total,refundedTotal,currency,quantity,products",
  );
  assert.match(
    row ?? "",
    new RegExp(`^${pendingId},pending,[^,]+,[^,]+,'=1\\+2,1.00,0.00,USD,1,1 × ${productId}$`),
  );
  assert.equal(end, "");
  assert.equal((await owner.get("/dashboard/orders.csv?status=lost")).statusCode, 400);
});

test("an order's page shows lines, money, timeline and who placed it, and no code", async () => {
  const { body, statusCode } = await viewer.get(`/dashboard/orders/${completedId}`);
  assert.equal(statusCode, 200);
  const hint = `sc_live_…${shop.buyer.key.slice(-4)}`;
  for (const text of ["2.00 USD", "first", hint, "Accepted", "2 × Card &lt;img", "Completed", "partial"])
    assert.ok(body.includes(text), text);
  assert.doesNotMatch(body, /SECRET|4711|<img src=x|Reveal codes|up-poll/);
  assert.match(body, /Your role does not show codes/);
});

test("the page of an order that moves reads itself again, and offers no codes yet", async () => {
  const { body } = await owner.get(`/dashboard/orders/${pendingId}`);
  assert.match(body, /id="order-status" up-poll/);
  assert.match(body, /id="order-timeline" up-poll/);
  assert.match(body, /Nothing delivered yet/);
  assert.doesNotMatch(body, /Reveal codes/);
});

test("an order of another reseller or environment is as missing as one that does not exist", async () => {
  const paths = [`/dashboard/orders/${completedId}`, "/dashboard/orders/ord_01m7ezrnqee21ahmmejds8xpc9"];
  for (const path of paths) {
    assert.equal((await stranger.get(path)).statusCode, 404);
    assert.equal((await stranger.post(`${path}/reveal`)).statusCode, 404);
    assert.equal((await stranger.post(`${path}/codes.csv`)).statusCode, 404);
    assert.equal((await owner.get(`${path}?env=test`)).statusCode, 404);
  }
  assert.equal((await owner.get("/dashboard/orders/%00")).statusCode, 404);
  assert.deepEqual(await revealsOf(completedId), []);
});

test("codes stay hidden from roles without the right, from strangers, and without fresh proof", async () => {
  const path = `/dashboard/orders/${completedId}`;
  for (const role of ["viewer", "finance", "developer"] as const) {
    const person = await signInAs(shop.scrip, shop.buyer.resellerId, role);
    assert.equal((await person.post(`${path}/reveal`)).statusCode, 403, role);
    assert.equal((await person.post(`${path}/codes.csv`)).statusCode, 403, role);
  }
  const signedOut = await shop.scrip.app.inject({ url: path });
  assert.equal(signedOut.statusCode, 303);
  const support = await signInAs(shop.scrip, shop.buyer.resellerId, "support");
  shop.clock.advance(PROOF_MS);
  for (const verb of ["reveal", "codes.csv"]) {
    const refused = await support.post(`${path}/${verb}`);
    assert.equal(refused.statusCode, 403, verb);
    assert.doesNotMatch(refused.body, /SECRET/);
  }
  assert.deepEqual(await revealsOf(completedId), []);
});

test("one code or all are revealed to a person, each time with a record of it", async () => {
  const support = await signInAs(shop.scrip, shop.buyer.resellerId, "support");
  const path = `/dashboard/orders/${completedId}`;
  const masked = await support.get(path);
  const [codeId = ""] = [...masked.body.matchAll(/name="codeId" value="(cod_\w+)"/g)].map(([, id]) => id);
  const one = await support.post(`${path}/reveal`, { codeId });
  assert.equal(one.statusCode, 200);
  assert.match(one.body, /SECRET-ONE/);
  assert.match(one.body, /4711/);
  assert.doesNotMatch(one.body, /SECRET-TWO/);
  assert.match(one.body, new RegExp(`1 code revealed by ${support.email}`));
  assert.equal((await support.post(`${path}/reveal`, { codeId: "cod_other" })).statusCode, 404);
  const all = await support.post(`${path}/reveal`);
  for (const code of ["SECRET-ONE", "SECRET-TWO"]) assert.ok(all.body.includes(`data-copy="${code}"`), code);
  assert.equal(all.headers["cache-control"], "no-store");
  const actor = { kind: "user", id: support.id };
  assert.deepEqual(await revealsOf(completedId), [
    { actor, count: 1 },
    { actor, count: 2 },
  ]);
  const { data } = await listActivity(
    shop.scrip.db,
    { kind: "staff" },
    { action: "codes.revealed" },
    { limit: 9 },
  );
  assert.deepEqual(
    data.map((entry) => [entry.actor.id, entry.object.id, entry.after]),
    [
      [support.id, completedId, { units: 2 }],
      [support.id, completedId, { units: 1 }],
    ],
  );
  for (const again of ["", "/reveal", "/codes.csv"]) {
    const { statusCode, body } = await support.get(path + again);
    assert.equal(statusCode, 200, again);
    assert.doesNotMatch(body, /SECRET/);
  }
});

test("the codes as a file are a reveal too, without formulas", async () => {
  await worker.drain();
  const support = await signInAs(shop.scrip, shop.buyer.resellerId, "support");
  const reply = await support.post(`/dashboard/orders/${pendingId}/codes.csv`);
  assert.equal(reply.statusCode, 200);
  assert.match(String(reply.headers["content-disposition"]), new RegExp(`codes-${pendingId}.csv`));
  assert.match(reply.body, new RegExp(`\\r\\ncod_\\w+,0,${productId},code,'=1\\+2,`));
  assert.deepEqual(await revealsOf(pendingId), [{ actor: { kind: "user", id: support.id }, count: 1 }]);
});

test("keys and people of other resellers are not named", async () => {
  const { db } = shop.scrip;
  const team = { kind: "user", resellerId: shop.buyer.resellerId } as const;
  assert.deepEqual(await namePeople(db, team, [owner.id, stranger.id]), new Map([[owner.id, owner.email]]));
  assert.equal(await describeKey(db, shop.buyer.resellerId, other.keyId), undefined);
});

test("an order with more codes than a page can hold offers them as a file", async () => {
  const many = await shop.addStocked(CODES_LISTED_MAX + 1);
  const id = await shop.order([many, CODES_LISTED_MAX + 1]);
  await worker.drain();
  const support = await signInAs(shop.scrip, shop.buyer.resellerId, "support");
  const { body } = await support.get(`/dashboard/orders/${id}`);
  assert.match(body, /The first 500 of 501\./);
  assert.match(body, /Codes as CSV/);
  assert.doesNotMatch(body, /Reveal codes/);
  const file = await support.post(`/dashboard/orders/${id}/codes.csv`);
  assert.equal(file.body.trim().split("\r\n").length, 1 + CODES_LISTED_MAX + 1);
});

test("with the proof the codes come at once, as a page or as a file, and once for each proof", async () => {
  const support = await signInAs(shop.scrip, shop.buyer.resellerId, "support");
  const path = `/dashboard/orders/${completedId}`;
  for (const verb of ["reveal", "codes.csv"] as const) {
    shop.clock.advance(PROOF_MS);
    const asked = await support.post(`${path}/${verb}`);
    assert.match(asked.body, /It is recorded who/);
    // A browser saves a file, and our script would show it.
    assert.equal(/<form class="form"[^>]* data-plain/.test(asked.body), verb === "codes.csv");
    const carried = /name="carried" value="([^"]*)"/.exec(asked.body)?.[1] ?? "";
    const before = (await revealsOf(completedId)).length;
    const done = await support.post("/dashboard/confirm", { password: PASSWORD, carried });
    assert.equal(done.statusCode, 200, verb);
    assert.match(done.body, /SECRET-ONE[\s\S]*SECRET-TWO/);
    assert.equal(/^attachment/.test(String(done.headers["content-disposition"])), verb === "codes.csv");
    const again = await support.post("/dashboard/confirm", { password: PASSWORD, carried });
    assert.equal(again.statusCode, 409);
    assert.doesNotMatch(again.body, /SECRET/);
    assert.equal((await revealsOf(completedId)).length, before + 1);
  }
});
