import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import sql from "sql-template-tag";
import { type ApiRoute, apiRoutes } from "../../testing/app/api-routes.ts";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../testing/builders/builders.ts";
import { addBuyer, type Buyer, CARD, CARD_PRICE_MINOR, postOrder } from "../../testing/builders/buyers.ts";
import { addEndpoint } from "../../testing/builders/delivery.ts";
import { addStock, createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { addLoggedRequest } from "../../testing/builders/logged-requests.ts";
import { addRouteRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { digestLiveRows } from "../../testing/database/live-rows.ts";
import { requestDeposit } from "../deposits/request-deposit.ts";
import { SCENARIO_NAMES } from "./scenarios.ts";

type Environment = "live" | "test";
/** What there is of one environment, by the part of the path that names it. */
type Objects = Readonly<
  Record<"orders" | "webhooks" | "deliveries" | "events" | "requests" | "deposits", string>
>;

let scrip: TestApp;
let owners: Record<Environment, Buyer>;
let objects: Record<Environment, Objects>;
let routes: ApiRoute[];

/** One reseller with a completed order in each environment, told to an endpoint there. */
before(async () => {
  scrip = await createTestApp();
  const { db } = scrip;
  const live = await addBuyer(scrip);
  const { id: keyId, key } = await scrip.addKey(live.resellerId, { env: "test" });
  owners = { live, test: { ...live, environment: "test", keyId, key } };
  await addProducts(db, [{ id: CARD }]);
  await addListPrice(db, { productId: CARD, amountMinor: BigInt(CARD_PRICE_MINOR) });
  const supplierId = await addSupplierRow(db);
  await addRouteRow(db, { productId: CARD, supplierId });
  await addStock(scrip, { productId: CARD, supplierId, goods: [{ type: "code", code: "LIVE-CODE" }] });
  objects = { live: await addObjects(live), test: await addObjects(owners.test) };
  routes = apiRoutes(scrip.app.openApi()).filter(
    ({ path }) => path.includes("{") && !path.startsWith("/v1/products/"),
  );
});
after(() => scrip.close());

/** Both orders have the same idempotency key: environments are separate. */
async function addObjects(owner: Buyer): Promise<Objects> {
  const { id: webhooks } = await addEndpoint(scrip.db, owner);
  const placed = await postOrder(scrip, owner, "the same key in both");
  assert.equal(placed.statusCode, 202, placed.body);
  const orders = placed.json().order.id;
  await createTestFulfiller(scrip).drain();
  const [told] = await scrip.db.rows<{ events: string; deliveries: string }>(sql`
    select e.id as events, d.id as deliveries from events e join deliveries d on d.event_id = e.id
    where e.order_id = ${orders}`);
  assert.ok(told);
  const requests = await addLoggedRequest(scrip.db, owner);
  const by = { actor: { kind: "key", id: owner.keyId } } as const;
  const { deposit } = await requestDeposit(scrip, owner, { amountMinor: 100n }, by);
  return { orders, webhooks, requests, deposits: deposit.id, ...told };
}

function addressOf({ path }: ApiRoute, of: Objects): string {
  const [, kind = ""] = /^\/v1\/(\w+)\//.exec(path) ?? [];
  const id = of[kind as keyof Objects];
  if (id === undefined) throw new Error(`say here how to fill ${path}`);
  return path.replace(/\{\w+\}/, id);
}
const call = (environment: Environment, method: string, url: string, body?: object) =>
  scrip.call(method, url, { key: owners[environment].key, body });
/** A recovery reaches back for a month, and the walk's own time is longer ago. */
const bodyOf = ({ path, body }: ApiRoute): object | undefined =>
  path.endsWith("/recover") ? { since: new Date(Date.now() - 60_000).toISOString() } : body;
/** All of it but the id and the time. */
function sameness(reply: LightMyRequestResponse): string {
  const { "x-request-id": requestId, date: _date, ...headers } = reply.headers;
  return `${reply.statusCode} ${JSON.stringify(headers)} ${reply.body.replace(String(requestId), "REQ")}`;
}
const digestOfSandbox = () =>
  scrip.db.rows(sql`
    select (select md5(string_agg(o::text, ',' order by id)) from orders o) as orders,
           (select md5(string_agg(w::text, ',' order by id)) from webhook_endpoints w) as endpoints,
           (select md5(string_agg(d::text, ',' order by id)) from deliveries d) as deliveries,
           (select count(*) from webhook_secrets) as secrets, (select count(*) from code_reveals) as reveals`);

test("there are routes to walk, with every method", () => {
  assert.deepEqual(
    new Set(routes.map(({ method }) => method)),
    new Set(["GET", "HEAD", "POST", "PATCH", "DELETE"]),
  );
});

test("every object of the other environment is not found, as one that never was, and stays as it is", async () => {
  const { api_keys: _before, ...before } = await digestLiveRows(scrip.db);
  const sandboxBefore = await digestOfSandbox();
  for (const [environment, other] of [
    ["live", objects.test],
    ["test", objects.live],
  ] as const) {
    for (const route of routes) {
      const { method, path } = route;
      const body = bodyOf(route);
      const theirs = await call(environment, method, addressOf(route, other), body);
      const missing = await call(environment, method, path.replace(/\{\w+\}/, "no-such-object"), body);
      assert.equal(theirs.statusCode, 404, `${method} ${path} with a ${environment} key`);
      assert.equal(sameness(theirs), sameness(missing));
    }
  }
  const { api_keys: _after, ...after_ } = await digestLiveRows(scrip.db);
  assert.deepEqual(after_, before);
  assert.deepEqual(await digestOfSandbox(), sandboxBefore);
});

test("the same addresses are found with a key of their own environment", async () => {
  for (const environment of ["live", "test"] as const) {
    for (const route of routes.filter(({ method }) => method === "GET" || method === "HEAD")) {
      const reply = await call(environment, route.method, addressOf(route, objects[environment]));
      assert.equal(reply.statusCode, 200, `${route.method} ${route.path}`);
    }
  }
  const codes = await Promise.all(
    (["live", "test"] as const).map(async (environment) => {
      const reply = await call(environment, "GET", `/v1/orders/${objects[environment].orders}/codes`);
      return reply.json().data[0].code.slice(0, 5);
    }),
  );
  assert.deepEqual(codes, ["LIVE-", "TEST-"]);
});

test("lists show what is of their own environment and nothing else, by every filter that could name the other's", async () => {
  for (const [environment, own, other] of [
    ["live", objects.live, objects.test],
    ["test", objects.test, objects.live],
  ] as const) {
    const idsOf = async (url: string) =>
      (await call(environment, "GET", url)).json().data.map(({ id }: { id: string }) => id);
    assert.deepEqual(await idsOf("/v1/orders"), [own.orders]);
    assert.deepEqual(await idsOf("/v1/orders?idempotencyKey=the%20same%20key%20in%20both"), [own.orders]);
    assert.deepEqual(await idsOf(`/v1/orders?productId=${CARD}`), [own.orders]);
    assert.deepEqual(await idsOf("/v1/webhooks"), [own.webhooks]);
    assert.deepEqual(await idsOf("/v1/events"), [own.events]);
    assert.deepEqual(await idsOf(`/v1/webhooks/${own.webhooks}/deliveries`), [own.deliveries]);
    assert.deepEqual(await idsOf(`/v1/wallet/entries?orderId=${other.orders}`), []);
    const entries = (await call(environment, "GET", "/v1/wallet/entries")).json().data;
    assert.deepEqual(
      entries.map(({ type, orderId }: { type: string; orderId?: string }) => [type, orderId]),
      [
        ["order", own.orders],
        ["deposit", undefined],
      ],
    );
  }
});

test("a cursor of one environment is none in the other", async () => {
  await postOrder(scrip, owners.test, "second");
  const { nextCursor } = (await call("test", "GET", "/v1/orders?limit=1")).json();
  const url = `/v1/orders?limit=1&cursor=${encodeURIComponent(nextCursor)}`;
  assert.equal((await call("test", "GET", url)).statusCode, 200);
  assert.equal((await call("live", "GET", url)).json().code, "invalid_cursor");
});

test("a live order is bought and told as ever, whatever scenario its request names", async () => {
  const { live } = owners;
  const names = [...SCENARIO_NAMES, "nonsense"];
  const [route] = await scrip.db.rows<{ supplierId: string }>(sql`
    select supplier_id as "supplierId" from supplier_routes`);
  const goods = names.map((name) => ({ type: "code" as const, code: `LIVE-${name}` }));
  await addStock(scrip, { productId: CARD, supplierId: route?.supplierId ?? "", goods });
  const ids: string[] = [];
  for (const name of names) {
    const reply = await scrip.call("POST", "/v1/orders", {
      key: live.key,
      headers: { "content-type": "application/json", "idempotency-key": name, "x-test-scenario": name },
      body: JSON.stringify({ lines: [{ productId: CARD, quantity: 1 }] }),
    });
    assert.equal(reply.statusCode, 202, `${name}: ${reply.body}`);
    ids.push(reply.json().order.id);
  }
  await createTestFulfiller(scrip).drain();
  for (const id of ids) {
    const reply = await call("live", "GET", `/v1/orders/${id}/codes`);
    assert.equal(reply.json().status, "completed");
    assert.match(reply.json().data[0].code, /^LIVE-/);
  }
  const told = await scrip.db.rows<{ orderId: string }>(sql`
    select e.order_id as "orderId" from events e join deliveries d on d.event_id = e.id
    where e.order_id = any(${ids}) and d.endpoint_id = ${objects.live.webhooks} and d.next_attempt_at = d.created_at`);
  assert.equal(told.length, names.length, "each event is due when it happens");
});
