import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { addProducts } from "../../testing/builders/builders.ts";
import { openJobDeps } from "../../testing/builders/job-desk.ts";
import { addRouteRow, addStockRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import {
  CONSOLE_COOKIE,
  CONSOLE_ORIGIN,
  type ConsoleVisit,
  openConsoleDesk,
} from "../../testing/people/console-desk.ts";
import { textOf } from "../../testing/people/order-desk.ts";
import { uploadFile } from "../../testing/people/upload-file.ts";
import { evaluateAlerts } from "../alerts/evaluate-alerts.ts";
import { runNextJob } from "../jobs/run-job.ts";

const desk = await openConsoleDesk();
after(desk.close);
const { db, clock } = desk;
const HOSTILE = `<script>alert("x")</script>`;
await addProducts(db, [{ id: "card", name: HOSTILE }, { id: "game" }]);
const warehouse = await addSupplierRow(db, { name: `Warehouse ${HOSTILE}` });
const upstream = await addSupplierRow(db, { kind: "scrip", name: "Upstream" });
await addRouteRow(db, { productId: "card", supplierId: warehouse, costMinor: 810n, currency: "USD" });
await addRouteRow(db, { productId: "card", supplierId: upstream });
for (let number = 0; number < 3; number += 1)
  await addStockRow(db, { productId: "card", supplierId: warehouse });
const admin = await desk.enter("admin");
const catalog = await desk.enter("catalog");
const viewer = await desk.enter("viewer");
const jobDeps = await openJobDeps(db, clock);
const deps = { ...jobDeps, keyring: desk.keyring, codeVault: desk.codeVault, secrets: desk.secrets };
const runJobs = async () => {
  while (await runNextJob(deps));
};

const countCodes = async () =>
  Number((await db.rows<{ count: bigint }>(sql`select count(*) as count from codes`))[0]?.count);

const upload = (
  person: ConsoleVisit,
  url: string,
  file: string | undefined,
  fields: Record<string, string> = {},
) => uploadFile(desk, person, url, file, fields);

test("products: search, health, routes and cost; text of others is text; a missing one is not found", async () => {
  const list = await viewer.get("/products?q=card");
  assert.match(list.body, /&lt;script&gt;alert/);
  assert.doesNotMatch(list.body, /<script>alert|game|Import products/);
  const page = await viewer.get("/products/card");
  assert.match(page.body, /Success rate[\s\S]*8\.10 USD[\s\S]*Every reseller sees it/);
  assert.doesNotMatch(page.body, /<script>alert|Hide product/);
  assert.equal((await viewer.get("/products/none")).statusCode, 404);
  const csv = await viewer.get("/products.csv");
  assert.match(csv.body, /^id,name,type,[\s\S]*\ncard,/);
});

test("pages have words for people: kinds, face values, what a job checks, and whom to ask", async () => {
  await addProducts(db, [
    {
      id: "plain-10",
      name: "Plain",
      faceValue: { amount: "10", currency: "USD", unit: "USD", isMoney: true },
    },
  ]);
  const list = textOf((await viewer.get("/products?q=plain")).body);
  assert.match(list, /Plain plain-10 gift card 10\.00 USD/);
  assert.match(textOf((await viewer.get("/products/plain-10")).body), /Type gift card Face value 10\.00 USD/);
  const health = textOf((await viewer.get("/products/plain-10")).body);
  assert.doesNotMatch(health, /1 of 20 takes more than/, "nothing was bought yet");
  const refused = await viewer.get("/products/import");
  assert.equal(refused.statusCode, 403);
  assert.match(textOf(refused.body), /If you need this, ask an admin\./);
  const audit = await admin.post("/jobs/audit", { extent: "full" });
  const job = textOf((await admin.get(String(audit.headers.location).split("?")[0] ?? "")).body);
  assert.match(job, /Checks everything yes/);
  await runJobs();
});

test("products: hide, unlist and edit are recorded; a change of another person is not written over", async () => {
  const reseller = await desk.addReseller();
  await catalog.post("/products/card/hidden", { hidden: "yes" });
  assert.match((await catalog.get("/products/card")).body, /Show product/);
  await catalog.post("/products/card/hidden", { hidden: "no" });
  assert.equal(
    (await catalog.post("/products/card/listing", { resellerId: "rsl_none", listed: "no" })).statusCode,
    422,
  );
  await catalog.post("/products/card/listing", { resellerId: reseller.id, listed: "no" });
  assert.match((await catalog.get("/products/card")).body, new RegExp(`/resellers/${reseller.id}`));
  const form = await catalog.get("/products/game/edit");
  const seen = /name="seen" value="([^"]*)"/.exec(form.body)?.[1]?.replaceAll("&quot;", '"') ?? "";
  const fields = { name: "Game", bonus: "", minQuantity: "1", maxQuantity: "5", active: "yes", seen };
  assert.equal((await catalog.post("/products/game/edit", { ...fields, minQuantity: "6" })).statusCode, 422);
  assert.equal((await catalog.post("/products/game/edit", fields)).statusCode, 303);
  const late = await admin.post("/products/game/edit", { ...fields, name: "Mine" });
  assert.equal(late.statusCode, 422);
  assert.match(late.body, /Someone changed this product meanwhile/);
  const log = await db.rows(sql`
    select action, actor_id as by from activity where object_kind = 'product' order by id`);
  assert.deepEqual(
    log,
    ["product.hidden", "product.shown", "product.unlisted", "product.edited"].map((action) => ({
      action,
      by: catalog.accountId,
    })),
  );
});

test("an import of products shows what will change, and changes nothing before it is confirmed", async () => {
  const none = await upload(catalog, "/products/import", undefined);
  assert.equal(none.statusCode, 422);
  assert.match(none.body, /Choose a file\./);
  const file = "id,name,faceValue.amount,faceValue.currency\ngame,Renamed,10,USD\nfresh,Fresh,25,USD\n";
  const sent = await upload(catalog, "/products/import", file);
  const path = String(sent.headers.location);
  assert.match(path, /^\/jobs\/job_/);
  await runJobs();
  const preview = await catalog.get(path);
  assert.match(preview.body, /Import these products\?[\s\S]*1 new, 1 changed[\s\S]*fresh[\s\S]*Renamed/);
  assert.doesNotMatch((await viewer.get(path)).body, /Import these products/);
  assert.deepEqual(await db.rows(sql`select id from products where id = 'fresh'`), []);
  assert.equal((await catalog.post(`${path}/confirm`)).statusCode, 303);
  assert.match((await catalog.post(`${path}/confirm`)).body, /does not wait for a confirmation/);
  await runJobs();
  assert.match((await catalog.get(path)).body, /succeeded/);
  assert.equal((await db.rows(sql`select id from products where name in ('Renamed', 'Fresh')`)).length, 2);
});

test("every page of an import lists its columns and has a template, which the import reads", async () => {
  const finance = await desk.enter("admin");
  for (const path of ["/products/import", "/products/import-prices", "/stock/import", "/deposits/import"]) {
    const page = await finance.get(path);
    assert.match(page.body, new RegExp(`href="${path}/template" download>Download a template<`));
    const template = await finance.get(`${path}/template`);
    assert.match(String(template.headers["content-disposition"]), /-template\.csv/);
    const [names = "", ...rows] = template.body.trimEnd().split("\r\n");
    assert.equal(rows.length, 1, path);
    for (const name of names.split(","))
      assert.ok(page.body.includes(`<code>${name}</code>`), `${path} ${name}`);
    const sent = await upload(
      finance,
      path,
      template.body,
      path.startsWith("/stock") ? { productId: "card" } : {},
    );
    await runJobs();
    const read = await finance.get(String(sent.headers.location));
    // Codes of the sandbox are refused: an example that stays in a file is never sold.
    if (path === "/stock/import")
      assert.match(read.body, /Nothing was imported: 1 invalid row[\s\S]*begins with TEST-/);
    else if (path === "/products/import-prices")
      assert.match(read.body, /there is no product &quot;example-us-25&quot;/);
    else assert.match(read.body, /1 new|0 of 1 row/, path);
  }
});

test("wrong columns of a file are one sentence, whatever their number", async () => {
  const file = "Id,Name,Type,Amount,Currency,Unit,Bonus,Brand\na,b,c,d,e,f,g,h\n";
  const path = String((await upload(catalog, "/products/import", file)).headers.location);
  await runJobs();
  const { body } = await catalog.get(path);
  assert.match(body, /Nothing was imported: 1 invalid row/);
  assert.equal(body.match(/the columns are id, name/g)?.length, 1);
  assert.match(body, /unknown column &quot;Id&quot;[\s\S]*missing column &quot;faceValue\.currency&quot;/);
});

test("prices are confirmed by finance with fresh proof, and not by catalog", async () => {
  const file = "product,list,currency,amount\ncard,standard,USD,9.50\n";
  const path = String((await upload(catalog, "/products/import-prices", file)).headers.location);
  await runJobs();
  const seen = await catalog.get(path);
  assert.match(seen.body, /Prices are published by finance/);
  assert.match(seen.body, /none → 9\.50 USD/);
  assert.equal((await catalog.post(`${path}/confirm`)).statusCode, 403);
  const finance = await desk.enter("finance");
  clock.advance(5 * 60_000 + 1);
  assert.match((await finance.post(`${path}/confirm`)).body, /Confirm/);
  assert.equal(
    (await db.rows(sql`select from list_prices where product_id = 'card' and price_list = 'standard'`))
      .length,
    0,
  );
  const fresh = await desk.enter("finance");
  assert.equal((await fresh.post(`${path}/confirm`)).statusCode, 303);
  await runJobs();
  assert.equal(
    (await db.rows(sql`select from list_prices where product_id = 'card' and amount_minor = 950`)).length,
    1,
  );
});

test("the preview of prices shows the old and the new price, the largest change first, and whom it concerns", async () => {
  const { id: resellerId } = await desk.addReseller();
  await desk.addReseller({ priceList: "elsewhere" });
  await db.rows(
    sql`insert into reseller_prices (reseller_id, product_id, amount_minor) values (${resellerId}, 'card', 1000)`,
  );
  const [all] = await db.rows<{ count: number }>(
    sql`select count(*)::integer as count from resellers where price_list = 'standard' and currency = 'USD'`,
  );
  const file = `product,list,reseller,currency,amount\ncard,standard,,USD,9.60\ncard,,${resellerId},USD,5.00\n`;
  const path = String((await upload(catalog, "/products/import-prices", file)).headers.location);
  await runJobs();
  const { body } = await (await desk.enter("finance")).get(path);
  assert.match(body, /10\.00 USD → 5\.00 USD<[\s\S]*−50\.0 %[\s\S]*9\.50 USD → 9\.60 USD<[\s\S]*\+1\.0 %/);
  assert.match(body, new RegExp(`Whom it concerns</dt><dd>${all?.count} resellers`));
});

test("a file of codes with faults is previewed: the good codes, the others by line and column, never a code", async () => {
  const wrong = await upload(catalog, "/stock/import", "code\nA-1\n", {
    productId: "none",
    supplierId: "",
    cost: "",
  });
  assert.equal(wrong.statusCode, 422);
  assert.match(wrong.body, /There is no product none/);
  const fields = { productId: "card", supplierId: warehouse, cost: "1,008.20", currency: "eur" };
  const send = async (text: string, changes = {}) => {
    const sent = await upload(catalog, "/stock/import", text, { ...fields, ...changes });
    if (sent.statusCode === 303) await runJobs();
    return { path: String(sent.headers.location), body: sent.body };
  };
  assert.match(
    (await send("code\nA\n", { currency: "Euro" })).body,
    /&quot;Euro&quot; is not an ISO-4217 currency/,
  );
  assert.match(
    (await send("code\nA\n", { cost: "12,5" })).body,
    /&quot;12,5&quot; is not an amount; write it like 25\.00/,
  );
  const odd = Array.from({ length: 40 }, (_, index) => `S3CRET-X${index},soon`);
  const { path } = await send(
    `code,expiresAt\nS3CRET-1,2031-12-31\nS3CRET-1,\nS3CRET-2,\n${odd.join("\n")}\n`,
  );
  const before = await countCodes();
  const page = await catalog.get(path);
  assert.match(
    page.body,
    /Import these codes\?[\s\S]*>2 codes<[\s\S]*41 rows[\s\S]*1,008\.20 EUR[\s\S]*2,016\.40 EUR/,
  );
  assert.match(page.body, />3<\/td>[\s\S]*>code<\/td>[\s\S]*duplicate of line 2/);
  assert.match(page.body, />5–44<\/td>[\s\S]*>expiresAt<\/td>[\s\S]*is neither a date/);
  assert.equal(page.body.match(/is neither a date/g)?.length, 1, "equal faults are one row");
  const file = await catalog.get(`${path}/result`);
  assert.match(file.body, /^line,id,reason\r\n5,,"?expiresAt: [\s\S]*\r\n3,,code: duplicate of line 2/);
  assert.equal(file.body.trimEnd().split("\r\n").length, 42);
  assert.doesNotMatch(page.body + file.body, /S3CRET/);
  assert.equal(await countCodes(), before);
  assert.equal((await catalog.post(`${path}/confirm`)).statusCode, 303);
  await runJobs();
  assert.match((await catalog.get(path)).body, /Imported codes[\s\S]*>2<[\s\S]*Refused rows: 41/);
  assert.equal(await countCodes(), before + 2);
  assert.match((await catalog.get(`/products/card`)).body, /note">cost [\d,.]+ EUR</);
  const none = await send("code\nS3CRET-1\n");
  assert.match(
    (await catalog.get(none.path)).body,
    /Nothing was imported: 1 invalid row[\s\S]*is known already/,
  );
  const stock = await viewer.get("/stock");
  assert.match(stock.body, /<td class="num">5<\/td>/);
  assert.match(stock.body, /Latest imports[\s\S]*succeeded/);
  assert.doesNotMatch(stock.body, /S3CRET|Import codes/);
  const text = await desk.console.inject({
    method: "POST",
    url: "/alerts/letters",
    headers: {
      host: new URL(CONSOLE_ORIGIN).host,
      origin: CONSOLE_ORIGIN,
      cookie: `${CONSOLE_COOKIE}=${viewer.cookie}`,
      "content-type": "multipart/form-data; boundary=x",
    },
    payload: "--x--\r\n",
  });
  assert.equal(text.statusCode, 415, "other forms take no files");
});

test("suppliers: state, balance, refusals and purchases; disabling says what happens and is recorded", async () => {
  await db.rows(sql`
    update suppliers set balance_minor = 1250, balance_currency = 'USD', balance_at = ${clock.now()},
           consecutive_failures = 5, open_until = ${new Date(clock.now().getTime() + 60_000)} where id = ${upstream}`);
  const at = new Date(clock.now().getTime() - 60_000);
  for (const [unit, status, code] of [
    [0, "delivered", null],
    [1, "refused", "out_of_stock"],
    [2, "open", null],
  ] as const)
    await db.rows(sql`
      insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                     status, failure_code, opened_at, resolved_at)
      values ('ord_1', 0, ${unit}, 1, 'live', 'card', ${upstream}, 'card', ${status}, ${code}, ${at},
              ${status === "open" ? null : clock.now()})`);
  const list = await viewer.get("/suppliers");
  assert.match(list.body, /Upstream[\s\S]*failing[\s\S]*paused[\s\S]*12\.50 USD/);
  const page = await viewer.get(`/suppliers/${upstream}`);
  assert.match(page.body, /50\.0 %[\s\S]*out of stock/);
  assert.doesNotMatch(page.body, />Disable</);
  assert.equal((await viewer.get("/suppliers/sup_none")).statusCode, 404);
  await catalog.post(`/suppliers/${upstream}/balance-alert`, { amount: "50.00" });
  assert.match(
    (await catalog.post(`/suppliers/${upstream}/balance-alert`, { amount: "x" })).body,
    /is not an amount/,
  );
  // The rule and Enable need fresh proof.
  const proved = await desk.enter("catalog");
  const notFound = (over: string) => ({
    notFoundTimes: "3",
    notFoundOver: over,
    resendAfter: "90s",
    notMadePerHour: "20",
  });
  for (const [over, said] of [
    ["soon", /Over is a duration such as 15m/],
    ["59s", /Over is from 1m to 24h/],
  ] as const)
    assert.match((await proved.post(`/suppliers/${upstream}/not-found`, notFound(over))).body, said);
  assert.equal((await proved.post(`/suppliers/${upstream}/not-found`, notFound("10m"))).statusCode, 303);
  const changed = (await catalog.get(`/suppliers/${upstream}`)).body;
  for (const value of ["3", "10m", "90s", "20"]) assert.match(changed, new RegExp(`value="${value}"`));
  assert.match(changed, /This supplier refuses a repeated reference, so nothing can be bought twice/);
  assert.doesNotMatch((await viewer.get(`/suppliers/${upstream}`)).body, /name="notFoundTimes"/);
  assert.match(
    (await catalog.get(`/suppliers/${upstream}`)).body,
    /Open purchases are followed to their end/,
  );
  await catalog.post(`/suppliers/${upstream}/state`, { enabled: "no" });
  assert.match((await catalog.get("/suppliers")).body, /disabled/);
  await proved.post(`/suppliers/${upstream}/state`, { enabled: "yes" });
  const log = await db.rows<{ action: string }>(sql`
    select action from activity where object_kind = 'supplier' order by id`);
  assert.deepEqual(
    log.map(({ action }) => action),
    ["supplier.balance_alert_set", "supplier.not_found_rule_set", "supplier.disabled", "supplier.enabled"],
  );
});

test("alerts: open first with what to do; one person takes one on; mail is chosen; the guide has its section", async () => {
  await evaluateAlerts({ db, clock, consoleUrl: CONSOLE_ORIGIN });
  const page = await admin.get("/alerts");
  assert.match(page.body, /Supplier Upstream keeps failing and is paused/);
  assert.match(page.body, /href="\/guide#supplier-failing"/);
  const action = /action="(\/alerts\/alt_\w+\/ack)"/.exec(page.body)?.[1] ?? "";
  assert.equal((await admin.post(action)).headers.location, "/alerts");
  assert.match((await catalog.post(action)).body, /has acknowledged this alert already/);
  assert.match((await catalog.get("/alerts")).body, new RegExp(`acknowledged[\\s\\S]*${admin.email}`));
  assert.doesNotMatch((await viewer.get("/alerts")).body, />Acknowledge</);
  await viewer.post("/alerts/letters", { send: "yes" });
  assert.match((await viewer.get("/alerts")).body, /Stop mailing me/);
  assert.match((await viewer.get("/guide")).body, /<h3 id="supplier-failing">/);
  clock.advance(5 * 60_000 + 1);
  assert.match((await admin.get("/alerts")).body, /Nobody looks at the conditions/);
});

test("jobs: the audit and an export are started, followed and downloaded; only their owner or an admin cancels", async () => {
  const boss = await desk.enter("admin");
  const audit = String((await boss.post("/jobs/audit")).headers.location);
  assert.match((await viewer.get(audit)).body, /up-poll/);
  assert.equal((await catalog.post(`${audit}/cancel`)).statusCode, 403);
  await runJobs();
  assert.match((await viewer.get(audit)).body, /Everything holds/);
  assert.doesNotMatch((await viewer.get(audit)).body, /up-poll/);
  assert.match((await boss.post(`${audit}/cancel`)).body, /This job is succeeded already/);
  const exported = String((await catalog.post("/jobs/export", { environment: "live" })).headers.location);
  await catalog.post(`${exported}/cancel`);
  assert.match((await catalog.get(exported)).body, /cancelled/);
  assert.equal((await catalog.get(`${exported}/result`)).statusCode, 404);
  assert.match((await catalog.get("/jobs")).body, /Export of orders[\s\S]*Audit/);
  assert.equal((await catalog.get("/jobs/job_none")).statusCode, 404);
});
