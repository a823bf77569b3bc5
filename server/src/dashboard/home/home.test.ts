import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addBuyer, addCard, type Buyer, postOrder } from "../../../testing/builders/buyers.ts";
import { createHandClock } from "../../../testing/hand-clock.ts";
import { type DashboardVisitor, signInAs } from "../../../testing/people/dashboard-visitor.ts";

const clock = createHandClock(new Date("2041-05-30T07:08:09Z"));
const DAY_MS = 86_400_000;
let scrip: TestApp;
let buyer: Buyer;
let viewer: DashboardVisitor;

before(async () => {
  scrip = await createTestApp({ clock });
  await addCard(scrip.db);
  buyer = await addBuyer(scrip, "20.00");
  viewer = await signInAs(scrip, buyer.resellerId, "viewer");
});
after(() => scrip?.close());

const home = async (query = ""): Promise<string> => {
  const { statusCode, body } = await viewer.get(`/dashboard${query}`);
  assert.equal(statusCode, 200);
  return body;
};

test("without orders the page says so, and what to do next", async () => {
  const body = await home("?env=test");
  assert.match(body, /There were no orders in the last 14 days\. One thing needs you\./);
  assert.match(body, /Create a key to use the API/);
  assert.match(body, /href="\/dashboard\/keys\?env=test"/);
  assert.match(await home(), /Nothing needs you/);
});

test("orders and spend of each day, and how long the balance lasts", async () => {
  await postOrder(scrip, buyer, "first");
  clock.advance(DAY_MS);
  await postOrder(scrip, buyer, "second");
  await postOrder(scrip, buyer, "third");
  await scrip.db.rows(sql`
    update orders set status = 'processing', processing_at = created_at where reseller_id = ${buyer.resellerId}`);
  await scrip.db.rows(sql`
    update order_lines set fulfilled_quantity = quantity where reseller_id = ${buyer.resellerId}`);
  await scrip.db.rows(sql`
    update orders set status = 'completed', open_units = 0, ended_at = created_at + interval '800 ms'
    where reseller_id = ${buyer.resellerId}`);
  viewer = await signInAs(scrip, buyer.resellerId, "viewer");
  const body = await home();
  assert.match(body, /Everything is being fulfilled normally\./);
  assert.match(body, /<b>12\.50<\/b> <small>USD<\/small>[\s\S]*about \d+ days at this week/);
  assert.match(
    body,
    /<dt><a href="[^"]*">Orders today<\/a><\/dt><dd><b>2<\/b><\/dd><dd class="note">5\.00 USD spent/,
  );
  assert.match(body, /<b>100<\/b> <small>%<\/small>[\s\S]*3 of 3 completed/);
  assert.match(body, /<b>0\.8 s<\/b> <small>median<\/small>/);
  assert.match(body, /30 May<\/th><td class="num">1</);
  assert.match(body, /31 May<\/th><td class="num">5\.00 USD</);
  assert.equal((await home("?days=90")).match(/class="hit"/g)?.length, 180);
  assert.equal((await home("?days=5")).match(/class="hit"/g)?.length, 28);
});

test("what needs the reader: endpoints, wallet, orders that wait, keys that end, a frozen account", async () => {
  await scrip.addKey(buyer.resellerId, { expiresAt: new Date(clock.now().getTime() + 5 * DAY_MS) });
  await postOrder(scrip, buyer, "slow");
  const since = new Date(clock.now().getTime() - 26 * 3_600_000);
  await scrip.db.rows(sql`
    insert into webhook_endpoints (id, reseller_id, environment, url, active, created_at, updated_at, failing_since, failures)
    values ('whk_a', ${buyer.resellerId}, 'live', 'https://hooks.example/<b>', true, ${since}, ${since}, ${since}, 9),
           ('whk_b', ${buyer.resellerId}, 'live', 'https://off.example/', false, ${since}, ${since}, ${since}, 9)`);
  clock.advance(31 * 60_000);
  const body = await home();
  assert.match(
    body,
    /Orders take longer than usual: the oldest has been open for 31 min\. 4 things need you\./,
  );
  assert.match(
    body,
    /hooks\.example<\/a>[\s\S]*Every delivery failed, since [^<]* UTC\. No success for 26 h; disabled in \d+ (h|days)/,
  );
  assert.match(body, /off\.example<\/a>[\s\S]*enable it again/);
  assert.match(body, /Key sc_live_…\w{4}<\/a>[\s\S]*Ends in 4 days/);
  await scrip.db.rows(sql`update resellers set frozen_at = ${clock.now()} where id = ${buyer.resellerId}`);
  assert.match(await home(), /Your account is frozen, and new orders are refused\. 5 things need you\./);
});

test("the last failed orders name their product and why, as text", async () => {
  await scrip.db.rows(sql`update resellers set frozen_at = null where id = ${buyer.resellerId}`);
  const reply = await postOrder(scrip, buyer, "fails", {
    ...{ lines: [{ productId: "card", quantity: 1 }], reference: "<i>ref</i>" },
  });
  const { id } = reply.json().order;
  await scrip.db.rows(sql`update orders set status = 'processing' where id = ${id}`);
  await scrip.db.rows(sql`update orders set status = 'failed', open_units = 0 where id = ${id}`);
  await scrip.db.rows(sql`update order_lines set failure_code = 'out_of_stock' where order_id = ${id}`);
  const body = await home();
  assert.match(body, /&lt;i&gt;ref&lt;\/i&gt;[\s\S]*<code>out_of_stock<\/code>/);
  assert.ok(body.includes(`href="/dashboard/orders/${id}"`));
});

test("another reseller sees nothing of it, and nobody without a session", async () => {
  const stranger = await signInAs(scrip, (await scrip.addReseller()).id, "viewer");
  const { body } = await stranger.get("/dashboard");
  assert.ok(body.includes("No failed orders") && !body.includes("hooks.example"));
  assert.equal((await scrip.app.inject("/dashboard")).statusCode, 303);
});
