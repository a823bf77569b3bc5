import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { addProducts } from "../../../testing/builders/builders.ts";
import { addStockRow, addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { openConsoleDesk } from "../../../testing/people/console-desk.ts";
import { listActivity } from "../../activity/list-activity.ts";
import { generateKey } from "../../keys/key-format.ts";
import { FOUND_KINDS } from "../../search/found.ts";
import { createCodeDigest } from "../../vault/code-digest.ts";
import { pageOf } from "./search-links.ts";

const desk = await openConsoleDesk();
const { db, clock } = desk;
after(desk.close);
const support = await desk.enter("support");
const viewer = await desk.enter("viewer");
const reseller = await desk.addReseller({ name: "Corner <b>Shop</b>" });
const CODE = "ABCD-EFGH-1234";

const searched = async () =>
  (await listActivity(db, { kind: "staff" }, { action: "code.searched" }, { limit: 10 })).data;

test("the box is on every page, and its page says what can be found", async () => {
  const home = await viewer.get("/");
  assert.match(home.body, /<form class="search" method="get" action="\/search"/);
  const { body } = await viewer.get("/search");
  assert.match(body, /What can be found/);
});

test("names are shown as text, and what is not found says how to look", async () => {
  const { body } = await viewer.get("/search?q=corner%20shop");
  assert.match(body, /Corner &lt;b&gt;Shop&lt;\/b&gt;/);
  assert.match(body, new RegExp(reseller.id));
  const nothing = await viewer.get("/search?q=%3Cscript%3Ealert(1)");
  assert.match(nothing.body, /Nothing found/);
  assert.match(nothing.body, /for <b>&lt;script&gt;alert\(1\)<\/b>/);
});

test("a whole API key finds its owner, and leaves the address", async () => {
  const { id, key } = await desk.addKey(reseller.id);
  const reply = await support.get(`/search?q=${key}`);
  assert.deepEqual([reply.statusCode, reply.headers.location], [303, `/search?q=${id}`]);
  const { body } = await support.get(`/search?q=${id}`);
  assert.match(body, new RegExp(`sc_live_…${key.slice(-4)}`));
  const unknown = generateKey("test");
  const missed = await support.get(`/search?q=${unknown}`);
  assert.equal(
    decodeURIComponent(String(missed.headers.location)),
    `/search?q=sc_test_…${unknown.slice(-4)}`,
  );
});

test("a code is found by its digest, after fresh proof, and every search is in the log without the code", async () => {
  await addProducts(db, [{ id: "card" }]);
  const supplierId = await addSupplierRow(db);
  const codeId = await addStockRow(db, { productId: "card", supplierId });
  const digest = createCodeDigest(desk.secrets.codeDigestKey)(CODE);
  await db.rows(sql`update codes set digest = ${digest} where id = ${codeId}`);
  assert.doesNotMatch((await support.get(`/search?q=${CODE}`)).body, new RegExp(codeId));
  assert.doesNotMatch((await viewer.get(`/search?q=${CODE}`)).body, /Search codes/);

  clock.advance(6 * 60_000);
  const asked = await support.post("/search/code", { code: CODE });
  assert.equal(asked.statusCode, 403);
  assert.match(asked.body, /Confirm that it is you/);
  assert.deepEqual(await searched(), []);

  await support.post("/confirm", { password: "tulip crane lamp" });
  const found = await support.post("/search/code", { code: CODE });
  assert.match(found.body, new RegExp(codeId));
  assert.doesNotMatch(found.body, new RegExp(CODE));
  const missed = await support.post("/search/code", { code: "NO-SUCH-CODE" });
  assert.match(missed.body, /Nothing found/);
  const [second, first] = await searched();
  assert.deepEqual(
    [first?.actor.id, first?.object.id, first?.after],
    [support.accountId, codeId, { found: true }].map((one) => one),
  );
  assert.deepEqual([second?.object.id, second?.after], ["none", { found: false }]);
});

test("what is found leads to a page that there is", () => {
  const paths = new Set(desk.console.consolePages.map(({ path }) => path));
  const found = { title: "", status: null, resellerName: null, environment: null };
  for (const kind of FOUND_KINDS.filter((one) => one !== "activity")) {
    const page = pageOf({ ...found, kind, id: "id", resellerId: "rsl_1", orderId: null });
    assert.ok(page && paths.has(page.pattern), kind);
  }
});
