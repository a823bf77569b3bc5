import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { addProducts } from "../../../testing/builders/builders.ts";
import { openJobDeps } from "../../../testing/builders/job-desk.ts";
import { openConsoleDesk } from "../../../testing/people/console-desk.ts";
import { textOf } from "../../../testing/people/order-desk.ts";
import { uploadFile } from "../../../testing/people/upload-file.ts";
import { startSupplierFake } from "../../../testing/upstream/supplier-fakes.ts";
import { sale } from "../../../testing/upstream/upstream-faults.ts";
import { listActivity } from "../../activity/list-activity.ts";
import { runNextJob } from "../../jobs/run-job.ts";
import { testSupplier } from "../../suppliers/calls/test-supplier.ts";
import { REMOTE_KINDS } from "../../suppliers/registry.ts";
import { unsealSupplierConfig } from "../../suppliers/supplier-config.ts";
import type { SyncItem } from "../../suppliers/sync/compare-catalog.ts";
import { findSync, storeSync } from "../../suppliers/sync/sync-queries.ts";

const desk = await openConsoleDesk();
const { db, clock } = desk;
after(() => desk.close());
const catalog = await desk.enter("catalog");
const reader = await desk.enter("viewer");
await addProducts(db, [{ id: "card" }]);

/** The other Scrip is this one: it sells to a reseller of its own. */
const address = await desk.app.listen({ host: "127.0.0.1", port: 0 });
const upstream = await desk.addReseller({ name: "Upstream" });
const { key } = await desk.addKey(upstream.id);
const another = await desk.addKey(upstream.id);
const HOSTILE = "<img src=x onerror=planted()>";
const jobDeps = { ...(await openJobDeps(db, clock)), keyring: desk.keyring };
const runJob = async () => assert.ok(await runNextJob(jobDeps));
const STALE_MS = 5 * 60_000 + 1;

const configOf = async (id: string) => {
  const [row] = await db.rows<{ sealedConfig: Buffer }>(
    sql`select sealed_config as "sealedConfig" from suppliers where id = ${id}`,
  );
  const config = unsealSupplierConfig(desk.keyring, {
    id,
    sealedConfig: row?.sealedConfig ?? Buffer.alloc(0),
  });
  return { ...(config as object) };
};
const suppliers = () => db.rows<{ id: string }>(sql`select id from suppliers order by id`);
const add = (fields: Readonly<Record<string, string>>) =>
  catalog.post("/suppliers/new/scrip", {
    name: "Other Scrip",
    rate: "20",
    config_baseUrl: address,
    ...fields,
  });

let id = "";

test("every kind has a form with the fields that it describes, and secrets are typed like passwords", async () => {
  const kinds = await catalog.get("/suppliers/new");
  assert.doesNotMatch((await reader.get("/suppliers")).body, /suppliers\/new/);
  for (const { kind, configFields } of REMOTE_KINDS) {
    assert.match(kinds.body, new RegExp(`href="/suppliers/new/${kind}"`));
    const { body } = await catalog.get(`/suppliers/new/${kind}`);
    for (const { key: name, label, type } of configFields) {
      const input = new RegExp(`<input[^>]*name="config_${name}"[^>]*>`).exec(body)?.[0] ?? "";
      assert.match(
        input,
        type === "secret" ? /type="password"/ : /type="(text|url|checkbox)"/,
        `${kind} ${name}`,
      );
      assert.ok(body.includes(label), `${kind} ${label}`);
    }
  }
});

test("a supplier is added with its config sealed, and no page or log shows the key again", async () => {
  const refused = await add({ config_apiKey: "sc_test_wrong" });
  assert.equal(refused.statusCode, 422);
  assert.match(textOf(refused.body), /ApiKey is a test key/);
  assert.doesNotMatch(refused.body, /sc_test_wrong/);
  assert.deepEqual(await suppliers(), []);

  const added = await add({ config_apiKey: key });
  id = String(added.headers.location).split("/").at(-1) ?? "";
  assert.deepEqual(await configOf(id), { baseUrl: address, apiKey: key });
  const page = await catalog.get(`/suppliers/${id}`);
  assert.match(textOf(page.body), /Purchases per second at most 20/);
  const log = await listActivity(db, { kind: "staff" }, { object: { id } }, { limit: 10 });
  assert.deepEqual(
    log.data.map(({ action, actor }) => [action, actor.id]),
    [["supplier.added", catalog.accountId]],
  );
  for (const text of [
    page.body,
    JSON.stringify(log),
    (await catalog.get(`/suppliers/${id}/config/scrip`)).body,
  ])
    assert.ok(!text.includes(key) && !text.includes(key.slice(8)));
});

test("the connection is tested by reading the balance", async () => {
  const works = await catalog.post(`/suppliers/${id}/test`);
  assert.equal(works.statusCode, 303, textOf(works.body));
  const { ok, balance } = await testSupplier(desk, id);
  assert.deepEqual([ok, balance?.amount, balance?.currency], [true, 0, "USD"]);
  const wrong = `sc_live_${"x".repeat(38)}`;
  const replaced = await catalog.post(`/suppliers/${id}/config/scrip`, {
    ...{ config_baseUrl: address, config_apiKey: wrong, isSameAccount: "yes" },
  });
  assert.equal(replaced.statusCode, 303, textOf(replaced.body));
  const fails = await catalog.post(`/suppliers/${id}/test`);
  assert.equal(fails.statusCode, 422);
  assert.match(textOf(fails.body), /The connection does not work: the /);
  assert.ok(!fails.body.includes(wrong));
});

test("a config that changes the address of an enabled supplier is refused, and one of the same account is stored", async () => {
  const elsewhere = { config_baseUrl: "http://127.0.0.1:9", config_apiKey: another.key };
  const refused = await catalog.post(`/suppliers/${id}/config/scrip`, elsewhere);
  assert.equal(refused.statusCode, 422);
  assert.match(textOf(refused.body), /To change the address, first run/);
  assert.ok(!refused.body.includes(another.key));
  const same = await catalog.post(`/suppliers/${id}/config/scrip`, { ...elsewhere, isSameAccount: "yes" });
  assert.equal(same.statusCode, 303);
  assert.deepEqual(await configOf(id), { baseUrl: "http://127.0.0.1:9", apiKey: another.key });
  const [latest] = (await listActivity(db, { kind: "staff" }, { object: { id } }, { limit: 1 })).data;
  assert.deepEqual(
    [latest?.action, latest?.after],
    ["supplier.changed", { config: "replaced", isSameAccount: true }],
  );
  assert.equal((await catalog.get(`/suppliers/sup_none/config/scrip`)).statusCode, 404);
});

test("without fresh proof the form is not shown, and a key that was typed waits in no page", async () => {
  const tired = await desk.enter("catalog");
  clock.advance(STALE_MS);
  for (const path of ["/suppliers/new/scrip", `/suppliers/${id}/config/scrip`]) {
    assert.match(String((await tired.get(path)).headers.location), /^\/confirm\?back=/);
    const sent = await tired.post(path, {
      name: "Late",
      rate: "1",
      config_baseUrl: address,
      config_apiKey: key,
    });
    assert.deepEqual([sent.statusCode, sent.headers.location], [303, path]);
    assert.ok(!sent.body.includes(key));
  }
  assert.equal((await suppliers()).length, 1);
  assert.deepEqual(await configOf(id), { baseUrl: "http://127.0.0.1:9", apiKey: another.key });
});

test("routes of a product are set, changed and removed, each logged for the staff", async () => {
  const path = "/products/card/routes";
  assert.match((await catalog.get(path)).body, new RegExp(`/products/card/routes\\?supplier=${id}"`));
  const fields = {
    supplierId: id,
    priority: "10",
    cost: "8.10",
    currency: "",
    maxCost: "",
    sku: "their-card",
  };
  assert.equal((await catalog.post(path, fields)).statusCode, 303);
  const bad = await catalog.post(path, { ...fields, cost: "8.123" });
  assert.equal(bad.statusCode, 422);
  assert.match(bad.body, /value="8\.123"/);
  assert.match((await catalog.get(`${path}?supplier=${id}`)).body, /value="their-card"/);
  await catalog.post(path, { ...fields, priority: "5", maxCost: "9.00" });
  const routes = () =>
    db.rows(
      sql`select priority, cost_minor as cost, max_cost_minor as most, sku from supplier_routes where supplier_id = ${id}`,
    );
  assert.deepEqual(await routes(), [{ priority: 5, cost: 810n, most: 900n, sku: "their-card" }]);
  await catalog.post(path, { ...fields, priority: "5", maxCost: "" });
  const unlimited = [{ priority: 5, cost: 810n, most: null, sku: "their-card" }];
  assert.deepEqual(await routes(), unlimited, "an empty limit is the cost itself");
  const fieldMap = "playerId=account_number\r\n zone = qualifier ";
  const twice = await catalog.post(path, { ...fields, priority: "5", fieldMap: "a=b\na=c" });
  assert.match(textOf(twice.body), /Names of input fields : One field has two lines/);
  const same = await catalog.post(path, { ...fields, priority: "5", fieldMap: "a=c\nb=c" });
  assert.match(textOf(same.body), /Names of input fields gives two fields the same name/);
  assert.equal((await catalog.post(path, { ...fields, priority: "5", fieldMap })).statusCode, 303);
  const maps = () => db.rows(sql`select field_map as map from supplier_routes where supplier_id = ${id}`);
  assert.deepEqual(await maps(), [{ map: { playerId: "account_number", zone: "qualifier" } }]);
  assert.match(
    (await catalog.get(`${path}?supplier=${id}`)).body,
    />\nplayerId=account_number\nzone=qualifier<\/textarea>/,
  );
  assert.equal((await catalog.post(path, { ...fields, priority: "5", fieldMap: "" })).statusCode, 303);
  assert.deepEqual(await maps(), [{ map: null }], "without lines every field keeps its name");
  const low = await catalog.post(path, { ...fields, priority: "5", maxCost: "1.00" });
  assert.match(textOf(low.body), /set At most to the cost or more/);
  assert.match((await catalog.get("/products/card")).body, /Other Scrip[\s\S]*8\.10 USD[\s\S]*Edit</);
  assert.doesNotMatch((await reader.get("/products/card")).body, /\/routes/);
  const removed = await catalog.post(`${path}/remove`, { supplierId: id });
  assert.equal(removed.statusCode, 303);
  assert.deepEqual(await routes(), []);
  const again = await catalog.post(`${path}/remove`, { supplierId: id });
  assert.match(textOf(again.body), /There is no route of card/);
  const log = await listActivity(db, { kind: "staff" }, { object: { id: "card" } }, { limit: 10 });
  assert.deepEqual(
    log.data.map(({ action }) => action),
    ["route.removed", ...Array.from({ length: 5 }, () => "route.set")],
  );
});

test("a supplier's catalog is read, and only the selected changes are applied; its books are compared and exported", async (t) => {
  const clerk = await desk.enter("catalog");
  const dtone = await startSupplierFake("dtone", { seed: 1, faults: () => sale(["completed"]) });
  t.after(() => dtone.fake.close());
  const config = Object.fromEntries(
    Object.entries(dtone.config()).map(([name, value]) => [`config_${name}`, value]),
  );
  await clerk.post("/suppliers/new/dtone", { name: "Top-ups", rate: "20", ...config });
  const [row] = await db.rows<{ id: string }>(sql`select id from suppliers where name = 'Top-ups'`);
  const path = `/suppliers/${row?.id}`;
  assert.match((await clerk.get(path)).body, new RegExp(`href="${path}/catalog"`));
  const finance = await desk.enter("finance");
  assert.match((await finance.get(path)).body, new RegExp(`href="${path}/reconcile"`));
  assert.doesNotMatch((await finance.get(path)).body, /Test connection/);
  assert.doesNotMatch((await reader.get(path)).body, /reconcile/);
  assert.match((await clerk.get(`${path}/catalog`)).body, /Nothing to change/);
  const reading = await clerk.post(`${path}/catalog/read`, {});
  const jobPath = String(reading.headers.location).split("?")[0] ?? "";
  assert.match(jobPath, /^\/jobs\/job_/);
  assert.match((await clerk.get(`${path}/catalog`)).body, /Nothing to change/, "it is read by a job");
  await runJob();
  const done = (await clerk.get(jobPath)).body;
  assert.match(textOf(done), /New at the supplier 1 .*Choose what to apply/);
  assert.ok(done.includes(`href="${path}/catalog"`));
  const proposed = (await clerk.get(`${path}/catalog`)).body;
  assert.match(textOf(proposed), /1 new, 0 gone, 0 repriced, 0 unchanged.*New 77 Gems 100/);
  assert.match(proposed, /name="productId" value="gem-quest-us-1"/, "brand, country and value");
  assert.match((await clerk.post(`${path}/catalog/apply`, {})).body, /Select at least one item/);
  const typed = { item: "77", row: "77", productId: "card" };
  const taken = await clerk.post(`${path}/catalog/apply`, typed);
  assert.match(textOf(taken.body), /There is a product card already; choose another id for 77/);
  assert.match(taken.body, /name="productId" value="card"/, "what was typed stays");
  const renamed = { ...typed, productId: "gems" };
  assert.equal((await clerk.post(`${path}/catalog/apply`, renamed)).statusCode, 303);
  const routes = await db.rows<{ productId: string; sku: string; synced: boolean }>(sql`
    select product_id as "productId", sku, synced from supplier_routes where supplier_id = ${row?.id}`);
  assert.deepEqual(routes, [{ productId: "gems", sku: "77", synced: true }], "it gets the headroom");
  assert.match(
    (await finance.post(`${path}/reconcile`, { from: "soon", to: "2036-01-01" })).body,
    /Enter a date such as/,
  );
  const period = { from: "2026-01-01", to: "2036-01-01" };
  const half = await finance.post(`${path}/reconcile`, { ...period, opening: "10.00" });
  assert.match(textOf(half.body), /Give both balances, or neither/);
  const compared = await finance.post(`${path}/reconcile`, period);
  assert.equal(compared.statusCode, 303, textOf(compared.body));
  const keptPath = String(compared.headers.location).split("?")[0] ?? "";
  assert.match(keptPath, /^\/reconciliations\/rcn_/);
  const kept = textOf((await finance.get(keptPath)).body);
  assert.match(kept, /Entries 0 .*The books agree.*the supplier was asked/);
  const csv = await finance.get(`${keptPath}/findings.csv`);
  assert.match(csv.body, /^finding,reference,id,currency,ours,theirs,difference,time,reason\n/);
  const form = (await finance.get(`${path}/reconcile`)).body;
  assert.ok(form.indexOf(keptPath) < form.indexOf("The supplier is asked"), "results stand above the forms");
  assert.match(form, /<input[^>]*name="from"[^>]*type="date"|<input[^>]*type="date"[^>]*name="from"/);

  const missing = await uploadFile(desk, finance, `${path}/reconcile/file`, undefined, { from: "", to: "" });
  assert.match(missing.body, /Choose a file/);
  const statement = `reference,id,amount,currency,status,time\n${HOSTILE},7,0.92,USD,completed,2026-05-01T10:00:00Z\n`;
  const balances = { opening: "10.00", closing: "9.08", deposits: "" };
  const given = { from: "", to: "", ...balances };
  const sent = await uploadFile(desk, finance, `${path}/reconcile/file`, statement, given);
  assert.equal(sent.statusCode, 303, sent.body);
  const comparison = String(sent.headers.location).split("?")[0] ?? "";
  await runJob();
  const page = await finance.get(comparison);
  assert.match(textOf(page.body), /Missing here 1 .*Difference, theirs less ours 0\.92 USD/);
  const result = /href="(\/reconciliations\/rcn_\w+)"/.exec(page.body)?.[1] ?? "";
  const digest = createHash("sha256").update(statement).digest("hex");
  const found = await finance.get(result);
  assert.match(
    textOf(found.body),
    new RegExp(`Missing here .*onerror=planted.*${digest}.*Left the account 0\\.92 USD`),
  );
  assert.match(textOf(found.body), /Of it in no statement 0\.00 USD/);
  for (const text of [page.body, found.body]) assert.doesNotMatch(text, /<img/);
  assert.match(textOf((await finance.get("/reconciliations")).body), /Top-ups .*file 1 0 1 0\.92 USD/);
  assert.match(
    (await finance.get(`${comparison}/result`)).body,
    /^finding,.*\nmissing_here,.*,7,USD,0\.00,0\.92,0\.92,/,
  );
  const broken = await uploadFile(desk, finance, `${path}/reconcile/file`, "amount\n1\n", {
    from: "",
    to: "",
  });
  await runJob();
  const brokenPath = String(broken.headers.location).split("?")[0] ?? "";
  assert.match((await finance.get(brokenPath)).body, /missing column/);
  assert.equal((await uploadFile(desk, reader, `${path}/reconcile/file`, statement)).statusCode, 403);

  for (const visit of [clerk, finance, reader, await desk.enter("admin"), await desk.enter("support")]) {
    const mayRead = visit.role === "admin" || visit.role === "finance";
    for (const url of [comparison, `${comparison}/result`, brokenPath])
      assert.equal((await visit.get(url)).statusCode, mayRead ? 200 : 404, `${visit.role} ${url}`);
    const { body } = await visit.get("/jobs");
    assert.match(body, /Comparison of a supplier&#39;s statement/);
    assert.equal(/missing column/.test(body), mayRead, `${visit.role}: why it failed`);
    const hits = await visit.get(`/search?q=${comparison.split("/").at(-1)}`);
    assert.match(hits.body, /reconcile_supplier/);
    for (const text of [body, hits.body])
      assert.equal(text.includes(`href="${comparison}"`), mayRead, `${visit.role}: a link`);
    assert.equal((await visit.get(jobPath)).statusCode, 200, `${visit.role}: other jobs`);
  }
});

test("a long proposal is paged, filtered and applied as a whole; odd rows and counts stand beside it", async () => {
  const clerk = await desk.enter("catalog");
  const path = `/suppliers/${id}/catalog`;
  const items = Array.from({ length: 105 }, (_, number): SyncItem => {
    const route = { productId: `long-${number}`, sku: `s${number}`, cost: "9.75", currency: "USD" };
    const faceValue = { amount: "10", currency: "USD" };
    const product = { id: `long-${number}`, name: `Long ${HOSTILE} ${number}`, faceValue };
    return { id: `s${number}`, change: "new", product, route };
  });
  const route = { productId: "card", sku: "c", cost: "10.51", currency: "EUR" };
  items.push({ id: "c", change: "repriced", route, was: { cost: "10.51", currency: "USD" } });
  const odd = [{ number: "77", field: "destination.unit", reason: "is missing or not a currency" }];
  const sync = { items, unchanged: 3, leftOut: { range: 4 }, odd, oddCount: 1 };
  await storeSync(db, id, sync, clock.now());
  const first = await clerk.get(path);
  assert.match(
    textOf(first.body),
    /105 new, 0 gone, 1 repriced, 3 unchanged\. Left out: 4 with a range of values/,
  );
  assert.match(
    textOf(first.body),
    /Apply all 106 1 to 100 of 106.*77 destination\.unit is missing or not a currency/,
  );
  assert.doesNotMatch(first.body, /<img|--only/);
  assert.match(
    textOf((await clerk.get(`${path}?cursor=1`)).body),
    /10\.51 USD → 10\.51 EUR.*101 to 106 of 106/,
  );
  assert.match(textOf((await clerk.get(`${path}?change=gone`)).body), /Nothing matches/);
  assert.match(textOf((await clerk.get(`${path}?q=LONG-104`)).body), /Apply all 1 that match/);

  const seen = clock.now().toISOString();
  const all = { all: "yes", change: "new", q: "long-104", seen };
  const stale = await clerk.post(`${path}/apply`, { ...all, seen: "2029-01-01T00:00:00.000Z" });
  assert.match(textOf(stale.body), /The catalog was read again since this page was opened/);
  assert.equal((await clerk.post(`${path}/apply`, all)).headers.location, `${path}?change=new&q=long-104`);
  await clerk.post(`${path}/apply`, { ...all, q: "" });
  const [made] = await db.rows<{ count: number }>(
    sql`select count(*)::integer as count from products where id like 'long-%'`,
  );
  assert.equal(made?.count, 105);
  assert.deepEqual(
    (await findSync(db, id))?.items.map((item) => item.id),
    ["c"],
    "what was not chosen is still proposed",
  );
});
