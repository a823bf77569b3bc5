import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import sql from "sql-template-tag";
import { addEndpoint } from "../../../testing/builders/webhook-builders.ts";
import { openConsoleDesk } from "../../../testing/people/console-desk.ts";
import { signInAs } from "../../../testing/people/dashboard-visitor.ts";
import { listActivity } from "../../activity/list-activity.ts";
import { audit } from "../../audit/audit.ts";
import { createReseller } from "../../resellers/create-reseller.ts";
import { getReseller } from "../../resellers/get-reseller.ts";

const desk = await openConsoleDesk();
const { db } = desk;
after(async () => {
  try {
    const { ok, invariants } = await audit(db);
    assert.ok(ok, JSON.stringify(invariants));
  } finally {
    await desk.close();
  }
});

const admin = await desk.enter("admin");
const reader = await desk.enter("viewer");
const textOf = ({ body }: LightMyRequestResponse) => body.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
const locationOf = ({ headers }: LightMyRequestResponse) => String(headers.location);
const actions = async (resellerId: string) =>
  (await listActivity(db, { kind: "staff" }, { resellerId }, { limit: 20 })).data;

test("an admin creates a reseller, invites its owner and changes its limits, and all of it is logged", async () => {
  const fields = {
    name: "Corner Shop",
    currency: "USD",
    email: "owner@corner.example",
    priceList: "standard",
  };
  const page = locationOf(await admin.post("/resellers", fields));
  assert.match(page, /^\/resellers\/rsl_/);
  const id = page.split("/")[2] ?? "";
  assert.match(textOf(await admin.get(page)), /Corner Shop .*Live balance 0\.00 USD/);
  const invited = await admin.post(`${page}/invite`, {
    email: "ana@corner.example",
    name: "",
    role: "owner",
  });
  assert.match(textOf(invited), /Send this link to ana@corner\.example/);
  const edited = await admin.post(`${page}/edit`, {
    ...{ name: "Corner Shop Ltd", email: "owner@corner.example", priceList: "gold" },
    ...{ orders: "50", reads: "" },
  });
  assert.equal(edited.statusCode, 303);
  const row = await getReseller(db, id);
  assert.deepEqual(
    [row.name, row.priceList, row.rateLimitOrders, row.rateLimitReads],
    ["Corner Shop Ltd", "gold", 50, null],
  );
  const log = await actions(id);
  assert.deepEqual(
    log.map(({ action, actor }) => [action, actor.id]),
    ["reseller.limits_changed", "reseller.changed", "person.invited", "reseller.created"].map((action) => [
      action,
      admin.accountId,
    ]),
  );
  assert.deepEqual(log[1]?.after, { name: "Corner Shop Ltd", priceList: "gold" });
});

test("what a form of a reseller holds wrong is said, and nothing changes", async () => {
  const fields = { name: "X", currency: "Dollar", email: "a@b.example", priceList: "standard" };
  const refused = await admin.post("/resellers", fields);
  assert.equal(refused.statusCode, 422);
  assert.match(textOf(refused), /Dollar&quot; is not an ISO-4217 currency/);
  const { id } = await desk.addReseller();
  const edit = { name: "X", email: "a@b.example", priceList: "no spaces!", orders: "", reads: "" };
  assert.match(textOf(await admin.post(`/resellers/${id}/edit`, edit)), /is not a price list&#39;s name/);
  assert.equal((await getReseller(db, id)).name, "Test Reseller");
  assert.equal((await admin.get("/resellers/rsl_none")).statusCode, 404);
  assert.equal((await admin.get("/resellers/%00")).statusCode, 404);
});

test("resellers are found by id and by parts of name and email, and hostile names are text", async () => {
  const about = { name: "<b>Ümlaut & Söhne</b>", currency: "USD", email: "kontakt@umlaut.example" };
  const { id } = await createReseller(db, desk.clock, about);
  for (const q of [id, "UMLAUT.EX", "söhne"]) {
    const page = await reader.get(`/resellers?q=${encodeURIComponent(q)}`);
    assert.match(page.body, /&lt;b&gt;Ümlaut &amp; Söhne&lt;\/b&gt;/);
    assert.doesNotMatch(page.body, /Corner Shop Ltd/);
  }
  assert.match(textOf(await reader.get("/resellers?q=nothing+like+it")), /Nothing found/);
  assert.doesNotMatch((await reader.get("/resellers")).body, /New reseller/);
  assert.match(textOf(await admin.get("/resellers?env=test")), /1,000,000\.00 USD/);
});

test("a reseller's page shows keys by prefix and last four, endpoints with health, and people", async () => {
  const { id } = await desk.addReseller();
  const { key } = await desk.addKey(id);
  await addEndpoint(db, { resellerId: id, environment: "live" });
  const owner = await signInAs(desk, id, "owner");
  const page = await reader.get(`/resellers/${id}`);
  assert.ok(page.body.includes(`sc_live_…${key.slice(-4)}`));
  assert.ok(!page.body.includes(key));
  assert.match(textOf(page), /https:\/\//);
  assert.ok(page.body.includes(owner.email));
  for (const action of ["Freeze", "Move money", "Edit", "Invite", "View as reseller"])
    assert.doesNotMatch(page.body, new RegExp(`>${action}<`), action);
  const testPage = await reader.get(`/resellers/${id}?env=test`);
  assert.match(textOf(testPage), /API keys, test No keys/);
});

test("sales of the last 30 days come from the roll-ups", async () => {
  const { id } = await desk.addReseller({ name: "Seller" });
  const hour = (days: number) => new Date(desk.clock.now().getTime() - days * 86_400_000);
  for (const at of [hour(1), hour(2), hour(31)])
    await db.rows(sql`
      insert into report_orders (environment, hour, reseller_id, currency, orders, sold_minor, refunded_minor)
      values ('live', date_trunc('hour', ${at}::timestamptz), ${id}, 'USD', 3, 100050, 50)`);
  assert.match(textOf(await reader.get("/resellers?q=Seller")), / 0\.00 USD 6 2,000\.00 USD standard/);
  assert.match(textOf(await reader.get(`/resellers/${id}`)), /Sales, 30 days 2,000\.00 USD in 6 orders/);
  assert.match(textOf(await reader.get("/resellers?q=Seller&env=test")), / 0 0\.00 USD standard/);
  await db.rows(sql`delete from report_orders where reseller_id = ${id}`);
});

test("an admin unfreezes a key with fresh proof, once, and the reseller sees it in its log", async () => {
  const { id } = await desk.addReseller();
  await desk.addKey(id);
  const [key] = await db.rows<{ id: string; environment: string }>(sql`
    update api_keys set frozen_at = ${desk.clock.now()} where reseller_id = ${id} returning id, environment`);
  const env = key?.environment === "test" ? "?env=test" : "";
  const path = `/resellers/${id}/keys/${key?.id}/unfreeze${env}`;
  assert.ok((await admin.get(`/resellers/${id}${env}`)).body.includes(`href="${path}">Unfreeze<`));
  assert.ok(!(await reader.get(`/resellers/${id}${env}`)).body.includes(path));
  const other = await desk.addReseller();
  assert.equal((await admin.get(path.replace(id, other.id))).statusCode, 404);
  assert.match(textOf(await admin.get(path)), /New orders Accepted again, and paid from the wallet/);
  const [one, two] = await Promise.all([admin.post(path), (await desk.enter("admin")).post(path)]);
  assert.deepEqual([one.statusCode, two.statusCode], [303, 303]);
  const [row] = await db.rows(sql`select frozen_at as "frozenAt" from api_keys where id = ${key?.id}`);
  assert.deepEqual(row, { frozenAt: null });
  const unfrozen = (await actions(id)).filter(({ action }) => action === "key.unfrozen");
  assert.equal(unfrozen.length, 1, "of two people one unfroze it");
  assert.match(textOf(await admin.get(path)), /Nothing to unfreeze/);
});

test("a freeze is confirmed with a reason, shown on both faces, and ended by an unfreeze", async () => {
  const { id } = await desk.addReseller();
  const owner = await signInAs(desk, id, "owner");
  const page = `/resellers/${id}`;
  assert.match(textOf(await admin.get(`${page}/freeze`)), /New orders Refused from now on, live and test/);
  assert.equal((await admin.post(`${page}/freeze`, { reason: "" })).statusCode, 422);
  assert.equal((await getReseller(db, id)).frozenAt, null);
  assert.doesNotMatch((await owner.get("/dashboard/orders")).body, /frozen/);
  assert.equal((await admin.post(`${page}/freeze`, { reason: "Unusual <orders>" })).statusCode, 303);
  const frozen = await admin.get(page);
  assert.match(frozen.body, /Reason: Unusual &lt;orders&gt;/);
  assert.match(frozen.body, />Unfreeze</);
  assert.doesNotMatch(frozen.body, />Freeze</);
  for (const path of ["", "/orders", "/wallet"]) {
    const shown = await owner.get(`/dashboard${path}`);
    assert.match(textOf(shown), /The operator has frozen your account.* Unusual &lt;orders&gt;/, path);
  }
  assert.equal((await admin.post(`${page}/unfreeze`, { reason: "Checked" })).statusCode, 303);
  assert.doesNotMatch((await owner.get("/dashboard/orders")).body, /has frozen your account/);
  assert.deepEqual(
    (await actions(id)).slice(0, 2).map(({ action }) => action),
    ["reseller.unfrozen", "reseller.frozen"],
  );
});
