import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { explain } from "../../../testing/database/explain.ts";
import { openConsoleDesk } from "../../../testing/people/console-desk.ts";
import { listActivity } from "../../activity/list-activity.ts";
import { type NewActivity, recordActivity } from "../../activity/record-activity.ts";
import { readActivityFilter } from "./activity-filter.ts";

const desk = await openConsoleDesk();
const { db, clock } = desk;
after(desk.close);
const viewer = await desk.enter("viewer");
const reseller = await desk.addReseller({ name: "Corner <b>Shop</b>" });

const record = (more: Partial<NewActivity> = {}) => {
  clock.advance(1_000);
  return db.transaction((tx) =>
    recordActivity(tx, clock, {
      actor: { kind: "staff", id: viewer.accountId },
      address: "198.51.100.7",
      action: "order.held",
      object: { kind: "order", id: "ord_1" },
      resellerId: reseller.id,
      environment: "live",
      before: { held: false },
      after: { held: true, reason: "=1+1<script>" },
      ...more,
    }),
  );
};
await record();
await record({
  actor: { kind: "key", id: "key_9" },
  action: "order.noted",
  object: { kind: "order", id: "ord_2" },
});
for (let count = 0; count < 55; count += 1)
  await record({ actor: { kind: "system", id: "scrip" }, action: "endpoint.checked", resellerId: undefined });

const actionsOf = (body: string): string[] =>
  [...body.matchAll(/<code>([a-z_]+\.[a-z_]+)<\/code>/g)].map(([, one = ""]) => one);

test("all of the log is there, newest first, in pages, with who, from where and on what", async () => {
  const first = await viewer.get("/activity");
  assert.equal(actionsOf(first.body).length, 50);
  const next = /rel="next" href="([^"]+)"/.exec(first.body)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const second = (await viewer.get(next)).body;
  assert.deepEqual(actionsOf(second).slice(5, 7), ["order.noted", "order.held"]);
  assert.match(second, new RegExp(viewer.email));
  assert.match(second, /198\.51\.100\.7/);
  assert.match(second, /Corner &lt;b&gt;Shop&lt;\/b&gt;/);
  assert.match(second, /held: false → true, reason: =1\+1&lt;script&gt;/);
});

test("filters are in the address, narrow the page and its CSV alike, and what cannot be read is left out", async () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    [`who=${viewer.accountId}&action=order.held`, ["order.held"]],
    ["who=key", ["order.noted"]],
    ["who=key_9", ["order.noted"]],
    ["object=ord_2", ["order.noted"]],
    [`reseller=${reseller.id}&action=order.held&from=2030-01-01&to=2030-01-01`, ["order.held"]],
    ["action=no.such", []],
    ["who=nobody", []],
  ];
  for (const [query, actions] of cases) {
    assert.deepEqual(actionsOf((await viewer.get(`/activity?${query}`)).body), actions, query);
    const csv = (await viewer.get(`/activity.csv?${query}`)).body.trimEnd().split("\r\n");
    assert.equal(csv.length, 1 + actions.length, query);
    assert.doesNotMatch(csv.join("\n"), /(^|,)=/m);
  }
  assert.equal((await viewer.get("/activity?from=x&to=2030-99-99&cursor=%00&who=%00")).statusCode, 200);
});

test("each filter reads its index, and costs the same in a log of any size", async () => {
  await db.rows(sql`
    insert into activity (id, at, actor_kind, actor_id, action, object_kind, object_id, reseller_id)
    select 'act_0' || lpad(n::text, 25, '0'), now(), 'user', 'usr_' || n % 100, 'order.made', 'order', 'ord_' || n + 10, 'rsl_' || n % 10
    from generate_series(1, 20000) n`);
  await db.rows(sql`analyze activity`);
  for (const query of [
    {},
    { who: "key" },
    { who: "key_9" },
    { who: "usr_7" },
    { object: "ord_2" },
    { action: "order.held" },
    { reseller: reseller.id },
    { from: "2030-01-01" },
  ]) {
    const { filter } = readActivityFilter({ query });
    const cost = await explain(db, (counted) =>
      listActivity(counted, { kind: "staff" }, filter, { limit: 50 }),
    );
    assert.ok(cost.buffers < 300, `${JSON.stringify(query)}: ${cost.buffers} ${cost.plan}`);
    assert.deepEqual(cost.scanned, [], JSON.stringify(query));
  }
});
