import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { signInAs } from "../../../testing/people/dashboard-visitor.ts";
import { audit } from "../../audit/audit.ts";
import { demoPast } from "../demo-past.ts";
import { type FilledDemo, fillDemo } from "../fill-demo.ts";
import { createChance } from "./chance.ts";
import { planBursts } from "./plan-history.ts";

let scrip: TestApp;
let demo: FilledDemo;
let tookMs: number;

before(async () => {
  scrip = await createTestApp();
  const beganMs = performance.now();
  demo = await fillDemo(scrip, { seed: 1, keyring: scrip.keyring, baseUrl: "https://api.scrip.example" });
  tookMs = performance.now() - beganMs;
});
after(() => scrip.close());

const countOf = async (query: ReturnType<typeof sql>): Promise<number> =>
  (await scrip.db.rows<{ count: number }>(query))[0]?.count ?? 0;

test("three weeks of history are true facts: the audit finds nothing", async (t) => {
  t.diagnostic(`demo with ${demo.orders} orders in ${Math.round(tookMs)} ms`);
  const { ok, invariants } = await audit(scrip.db);
  assert.deepEqual(
    invariants.flatMap(({ violations }) => violations),
    [],
  );
  assert.equal(ok, true);
  assert.equal(demo.orders, await countOf(sql`select count(*)::integer as count from orders`));
  assert.ok(demo.orders > 300 && demo.orders < 1_000, String(demo.orders));
});

test("there is something of everything, and nothing is left to do but one endpoint's retries", async () => {
  const statuses = await scrip.db.rows<{ status: string; count: number }>(sql`
    select status, count(*)::integer as count from orders group by status`);
  const count = Object.fromEntries(statuses.map((one) => [one.status, one.count]));
  assert.deepEqual(Object.keys(count).sort(), ["completed", "refunded"]);
  assert.ok((count.refunded ?? 0) >= 5, JSON.stringify(count));
  assert.equal(await countOf(sql`select count(*)::integer as count from order_work`), 0);
  const failing = await scrip.db.rows<{ id: string; failures: number }>(sql`
    select id, failures from webhook_endpoints where failing_since is not null`);
  assert.equal(failing.length, 1);
  assert.ok((failing[0]?.failures ?? 0) > 20);
  assert.equal(
    await countOf(sql`
      select count(*)::integer as count from deliveries where status <> 'delivered' and endpoint_id <> ${failing[0]?.id}`),
    0,
  );
  assert.ok(
    (await countOf(sql`select count(*)::integer as count from api_requests where status >= 400`)) > 10,
  );
  const days = await countOf(sql`
    select count(distinct date_trunc('day', created_at))::integer as count from orders where environment = 'live'`);
  assert.ok(days >= 21, String(days));
});

test("the request log of the demo shows only calls that the API has", async () => {
  const file = new URL("../../../openapi.json", import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, "utf8")) as { paths: Record<string, object> };
  // A word of the path itself wins over a parameter: /v1/orders/batch is no order.
  const documented = Object.entries(paths)
    .toSorted(([a], [b]) => a.split("{").length - b.split("{").length)
    .map(([path, operations]) => ({
      path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      operations,
    }));
  const exists = ({ method, path }: { method: string; path: string }) =>
    method.toLowerCase() in (documented.find((one) => one.path.test(path))?.operations ?? {});
  assert.ok(exists({ method: "GET", path: "/v1/orders/ord_1" }));
  const shown = await scrip.db.rows<{ method: string; path: string }>(
    sql`select distinct method, path from api_requests`,
  );
  assert.ok(shown.length > 100, String(shown.length));
  assert.deepEqual(
    shown.filter((call) => !exists(call)),
    [],
  );
});

test("nothing of it lies in the future, and the history follows from the seed", async () => {
  for (const table of ["orders", "events", "ledger_entries"])
    assert.equal(
      (await scrip.db.rows({ text: `select from ${table} where created_at > now()`, values: [] })).length,
      0,
      table,
    );
  const [past] = demoPast({ northwind: "one", kestrel: "two" });
  assert.ok(past);
  const plan = (seed: number) =>
    JSON.stringify(planBursts(createChance(seed), new Date("2030-01-01T12:00:00Z"), past.habits));
  assert.equal(plan(1), plan(1));
  assert.notEqual(plan(1), plan(2));
});

test("the home page shows living numbers", async () => {
  const { get } = await signInAs(scrip, demo.resellers[0].id, "owner");
  const page = await get("/dashboard");
  assert.equal(page.statusCode, 200);
  assert.match(page.body, /erp\.northwind\.example/);
  assert.match(page.body, /Everything is being fulfilled normally\. One thing needs you\./);
  assert.match(page.body, /\d+ of \d+ completed/);
  assert.match(page.body, /about \d+ days at this week/);
});
