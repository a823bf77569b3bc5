import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import { VIEWED } from "../../../testing/app/console-matrix.ts";
import { type DashboardFixtures, MATRIX, makeFixtures } from "../../../testing/app/dashboard-matrix.ts";
import { addBuyer, postOrder } from "../../../testing/builders/buyers.ts";
import { createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop } from "../../../testing/builders/shop.ts";
import { openConsoleOn } from "../../../testing/people/console-desk.ts";
import { signInAs } from "../../../testing/people/dashboard-visitor.ts";
import { listActivity } from "../../activity/list-activity.ts";

const CODE = "SECRET-ONE";
const shop = await openShop();
const { scrip, buyer } = shop;
const desk = await openConsoleOn(scrip);
after(async () => {
  await desk.console.close();
  await shop.close();
});
const productId = await shop.addStocked([{ type: "code", code: CODE, pin: "4711" }]);
const placed = await postOrder(scrip, buyer, "first", { lines: [{ productId, quantity: 1 }] });
await createTestFulfiller(scrip).drain();
const orderId: string = placed.json().order.id;
const fixtures = await makeFixtures({ ...scrip, accounts: desk.accounts }, buyer.resellerId);
const admin = await desk.enter("admin");
const view = `/view/${buyer.resellerId}`;

const textOf = ({ body }: LightMyRequestResponse) => body.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
const idIn = (path: string): string => {
  const ids = MATRIX[`GET /dashboard${path}`]?.ids?.(fixtures) ?? { id: productId };
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => (ids as Record<string, string>)[name] ?? "");
};
const looks = async (reader: Parameters<typeof listActivity>[1] = { kind: "staff" }) =>
  (await listActivity(scrip.db, reader, { action: "reseller.viewed" }, { limit: 100 })).data;

test("every page of the dashboard that reads is there, says that it is a view, and leads nowhere else", async () => {
  for (const path of VIEWED) {
    const reply = await admin.get(`${view}${idIn(path)}`);
    // The recovery of an endpoint wants a time range, and says so in the same frame.
    assert.equal(reply.statusCode, path.endsWith("/recovery") ? 400 : 200, path);
    assert.ok(!reply.body.includes("/dashboard"), path);
    if (!String(reply.headers["content-type"]).startsWith("text/html")) continue;
    assert.match(textOf(reply), /Viewing as .* You can change nothing/, path);
    const targets = [...reply.body.matchAll(/ (?:href|action)="([^"]*)"/g)].map(([, to = ""]) => to);
    const outside = targets.filter((to) => !to.startsWith(view) && !to.startsWith("#"));
    const allowed =
      /^(\/assets\/|\/favicon|\/icon|\/apple|\/(\?|$)|\/resellers\/rsl_|\/sign-out$|\/theme$|\/docs|mailto:|https:\/\/)/;
    assert.deepEqual(
      outside.filter((to) => !allowed.test(to)),
      [],
      path,
    );
    const forms = [...reply.body.matchAll(/<form[^>]*method="post"[^>]*action="([^"]*)"/g)];
    assert.deepEqual(new Set(forms.map(([, to]) => to)), new Set(["/sign-out", "/theme"]), path);
  }
});

test("links stay in the environment, and the switch stays in the view", async () => {
  const { body } = await admin.get(`${view}/orders?env=test`);
  assert.ok(body.includes(`href="${view}/wallet?env=test"`));
  assert.ok(body.includes(`href="${view}/orders"`));
});

test("no code is shown, and no form of the dashboard is accepted", async () => {
  const order = await admin.get(`${view}/orders/${orderId}`);
  assert.equal(order.statusCode, 200);
  assert.doesNotMatch(order.body, /Reveal codes/);
  for (const path of ["", "/reveal", "/codes.csv"]) {
    const { body } = await admin.get(`${view}/orders/${orderId}${path}`);
    assert.ok(!body.includes(CODE) && !body.includes("4711"), path);
  }
  const posts = Object.keys(MATRIX).filter((key) => key.startsWith("POST /dashboard"));
  for (const key of posts) {
    const path = key.replace("POST /dashboard", "").replaceAll(":id", orderId);
    const reply = await admin.post(`${view}${path}`, { reason: "x" });
    assert.ok([404, 405].includes(reply.statusCode), `${key}: ${reply.statusCode}`);
    assert.ok(!reply.body.includes(CODE), key);
  }
});

test("what belongs to another reseller, and a reseller that does not exist, are not found", async () => {
  const other = await addBuyer(scrip);
  assert.equal((await admin.get(`/view/${other.resellerId}/orders/${orderId}`)).statusCode, 404);
  const ids: readonly (keyof DashboardFixtures)[] = [
    "keyId",
    "webhookId",
    "deliveryId",
    "eventId",
    "requestId",
  ];
  const paths = ["keys", "webhooks", "deliveries", "events", "requests"];
  for (const [index, name] of ids.entries()) {
    const path = `/view/${other.resellerId}/${paths[index]}/${fixtures[name]}`;
    assert.equal((await admin.get(path)).statusCode, 404, path);
  }
  for (const path of ["/view/rsl_none", "/view/rsl_none/orders", "/view/%00/orders"])
    assert.equal((await admin.get(path)).statusCode, 404, path);
});

test("a look is logged once an hour for each person, and the reseller sees that the operator looked", async () => {
  const before = await looks();
  assert.equal(before.filter(({ object }) => object.id === buyer.resellerId).length, 1);
  const support = await desk.enter("support");
  await support.get(`${view}/wallet`);
  await support.get(`${view}/orders`);
  assert.equal((await looks()).length, before.length + 1);
  shop.clock.advance(61 * 60_000);
  await support.get(`${view}/orders`);
  assert.equal((await looks()).length, before.length + 2);
  const seen = await looks({ kind: "reseller", resellerId: buyer.resellerId });
  assert.deepEqual(new Set(seen.map(({ actor }) => JSON.stringify(actor))), new Set(['{"kind":"staff"}']));
});

test("the view exists on the console alone, and a user's session opens nothing of it", async () => {
  const owner = await signInAs(scrip, buyer.resellerId, "owner");
  for (const cookie of [`__Host-scrip=${owner.cookie}`, `__Host-scrip-console=${owner.cookie}`]) {
    const reply = await desk.console.inject({ url: `${view}/orders`, headers: { cookie } });
    assert.equal(reply.statusCode, 303);
  }
  const atPublic = await scrip.app.inject({
    url: `${view}/orders`,
    headers: { cookie: `__Host-scrip-console=${admin.cookie}` },
  });
  assert.equal(atPublic.statusCode, 404);
});
