import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { eventually } from "../../../testing/eventually.ts";
import { createHandClock } from "../../../testing/hand-clock.ts";
import { signInAs } from "../../../testing/people/dashboard-visitor.ts";
import { listActivity } from "../../activity/list-activity.ts";
import { audit } from "../../audit/audit.ts";
import type { Tenant } from "../../http/caller.ts";
import { changeNotices } from "../../resellers/change-notices.ts";
import { moveFunds } from "../move-funds.ts";
import { setAlert } from "./set-alert.ts";
import { watchBalances } from "./watch-balances.ts";

const clock = createHandClock();
const BY = { actor: { kind: "command", id: "test" } } as const;
let scrip: TestApp;

before(async () => {
  scrip = await createTestApp({ clock });
});
after(() => scrip.close());

async function addWallet(): Promise<Tenant> {
  const tenant = { resellerId: (await scrip.addReseller()).id, environment: "live" } as const;
  await move(tenant, "credit", "100.00");
  return tenant;
}

async function move(tenant: Tenant, direction: "credit" | "debit", amount: string): Promise<void> {
  clock.advance(1_000);
  await moveFunds(scrip.db, clock, tenant, { direction, amount, note: "" });
}

type Row = { recipient: string; subject: string; text: string; html: string | null };

/** Looks at the balances and returns the letters that were written since the last call for this reseller. */
async function lettersOf({ resellerId }: Tenant): Promise<Row[]> {
  assert.equal(await watchBalances({ db: scrip.db, clock }), false);
  return scrip.db.rows<Row>(sql`
    delete from letters where cause like ${`%${resellerId}%`}
    returning recipient, subject, body_text as text, body_html as html`);
}

test("a fall below the threshold is told once, and again only after the balance was above it", async () => {
  const tenant = await addWallet();
  await setAlert(scrip, tenant, "50.00", BY);
  await move(tenant, "debit", "50.00");
  assert.deepEqual(await lettersOf(tenant), [], "at the threshold is not below it");
  await move(tenant, "debit", "0.01");
  const [letter, ...others] = await lettersOf(tenant);
  assert.equal(others.length, 0);
  assert.equal(letter?.recipient, "owner@reseller.example");
  assert.equal(letter?.subject, "Your live balance on Scrip is below 50.00 USD");
  for (const body of [letter?.text, letter?.html]) assert.match(body ?? "", /It is 49\.99 USD now/);
  await move(tenant, "debit", "10.00");
  assert.deepEqual(await lettersOf(tenant), [], "it was below already");
  await move(tenant, "credit", "20.00");
  assert.deepEqual(await lettersOf(tenant), []);
  await move(tenant, "debit", "20.00");
  assert.equal((await lettersOf(tenant)).length, 1);
  const { key } = await scrip.addKey(tenant.resellerId);
  const { data } = (await scrip.call("GET", "/v1/events?type=wallet.low", { key })).json();
  const threshold = { amount: 5_000, currency: "USD" };
  assert.deepEqual(
    data.map((event: { data: unknown }) => event.data),
    [3_999, 4_999].map((amount) => ({ balance: { amount, currency: "USD" }, threshold })),
    "one event for each letter",
  );
  assert.equal((await audit(scrip.db)).ok, true);
});

test("falls between two looks count once, also when the balance rose in between", async () => {
  const tenant = await addWallet();
  await setAlert(scrip, tenant, "50", BY);
  await move(tenant, "debit", "60.00");
  await Promise.all([watchBalances({ db: scrip.db, clock }), watchBalances({ db: scrip.db, clock })]);
  await move(tenant, "credit", "60.00");
  await move(tenant, "debit", "60.00");
  assert.equal((await lettersOf(tenant)).length, 2, "one from before, one for the second fall");
  await move(tenant, "credit", "60.00");
  await move(tenant, "debit", "60.00");
  await move(tenant, "credit", "60.00");
  assert.deepEqual(await lettersOf(tenant), [], "it was made good before anyone looked");
});

test("a threshold above the balance is not a fall, and without one nothing is looked at", async () => {
  const tenant = await addWallet();
  await setAlert(scrip, tenant, "500", BY);
  await move(tenant, "debit", "1.00");
  assert.deepEqual(await lettersOf(tenant), []);
  await setAlert(scrip, tenant, "", BY);
  await move(tenant, "debit", "90.00");
  assert.deepEqual(await lettersOf(tenant), []);
  for (const text of ["0", "-1", "1.001", "much"])
    await assert.rejects(setAlert(scrip, tenant, text, BY), { code: "invalid_request" }, text);
});

test("a threshold that changes while a fall is told does not tell it again", async () => {
  const tenant = await addWallet();
  const { resellerId } = tenant;
  await setAlert(scrip, tenant, "50.00", BY);
  let changing: Promise<unknown> | undefined;
  await scrip.db.transaction(async (watch) => {
    await watch.rows(sql`select from wallet_alerts where reseller_id = ${resellerId} for update`);
    changing = setAlert(scrip, tenant, "60.00", BY);
    await eventually("a change that waits", async () => {
      const [row] = await scrip.db.rows(sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%into wallet_alerts%'`);
      return row;
    });
    await move(tenant, "debit", "70.00");
    await watch.rows(sql`
      update wallet_alerts a set seen_sequence = w.sequence from wallets w
      where a.reseller_id = ${resellerId} and w.reseller_id = a.reseller_id and w.environment = a.environment`);
  });
  await changing;
  assert.deepEqual(await lettersOf(tenant), []);
});

test("the addresses of a kind get its letters, each one of their own", async () => {
  const tenant = await addWallet();
  const lines = { email: "owner@reseller.example", webhook_failing: "", webhook_disabled: "", deposit: "" };
  const input = { ...lines, wallet_low: "money@one.example\nboss@one.example" };
  await changeNotices(scrip, tenant.resellerId, input, BY);
  await setAlert(scrip, tenant, "50", BY);
  await move(tenant, "debit", "60.00");
  const recipients = (await lettersOf(tenant)).map(({ recipient }) => recipient);
  assert.deepEqual(recipients.sort(), ["boss@one.example", "money@one.example"]);
  for (const wrong of [
    "nobody",
    "a@b.example\r\nBcc: c@d.example, x",
    Array(6)
      .fill(0)
      .map((_, i) => `${i}@b.example`)
      .join(" "),
  ])
    await assert.rejects(changeNotices(scrip, tenant.resellerId, { ...input, wallet_low: wrong }, BY), {
      code: "invalid_request",
    });
});

test("owners and finance set the threshold on the wallet page, and the log says so", async () => {
  const tenant = await addWallet();
  const finance = await signInAs(scrip, tenant.resellerId, "finance");
  assert.match((await finance.get("/dashboard/wallet")).body, /Low-balance alert[\s\S]*nobody is told/);
  const refused = await finance.post("/dashboard/wallet/alert", { below: "1.2.3" });
  assert.equal(refused.statusCode, 422);
  assert.match(refused.body, /value="1\.2\.3"[\s\S]*form-below-error|form-below-error[\s\S]*1\.2\.3/);
  const saved = await finance.post("/dashboard/wallet/alert", { below: "1,250.00" });
  assert.equal(saved.statusCode, 303);
  assert.match((await finance.get("/dashboard/wallet")).body, /1,250\.00[\s\S]*the balance is below it/);
  assert.match((await finance.get("/dashboard")).body, /below your alert of 1,250\.00 USD/);
  const filter = { action: "wallet.alert_changed" };
  const team = { kind: "reseller", resellerId: tenant.resellerId } as const;
  const { data } = await listActivity(scrip.db, team, filter, { limit: 10 });
  assert.deepEqual(
    data.map(({ actor, before, after }) => [actor.id, before?.below, after?.below]),
    [[finance.id, "none", "1250.00 USD"]],
  );
  const viewer = await signInAs(scrip, tenant.resellerId, "viewer");
  assert.doesNotMatch((await viewer.get("/dashboard/wallet")).body, /wallet\/alert/);
});

test("PUT /v1/wallet/alert sets the threshold of the key's environment, and null ends it", async () => {
  const tenant = await addWallet();
  const { key } = await scrip.addKey(tenant.resellerId);
  const testKey = await scrip.addKey(tenant.resellerId, { env: "test" });
  const put = (body: object) =>
    scrip.call("PUT", "/v1/wallet/alert", {
      key,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const read = async (usedKey = key) =>
    (await scrip.call("GET", "/v1/wallet/alert", { key: usedKey })).json();
  assert.deepEqual(await read(), { alert: {} });
  const reply = await put({ threshold: 5_000 });
  const alert = { threshold: { amount: 5_000, currency: "USD", minorUnitExponent: 2 } };
  assert.deepEqual([reply.statusCode, reply.json(), await read()], [200, { alert }, { alert }]);
  assert.deepEqual(await read(testKey.key), { alert: {} }, "the sandbox has its own");
  await move(tenant, "debit", "60.00");
  assert.equal((await lettersOf(tenant)).length, 1);
  for (const threshold of [0, -1, 1.5, "50.00", 2 ** 53, undefined])
    assert.equal((await put({ threshold })).statusCode, 400, String(threshold));
  assert.equal((await put({ threshold: 1, currency: "USD" })).statusCode, 400, "an unknown field");
  assert.deepEqual((await put({ threshold: null })).json(), { alert: {} });
  assert.deepEqual(await read(), { alert: {} });
  const reader = await scrip.addKey(tenant.resellerId, { scopes: ["wallet:read"] });
  const refused = await scrip.call("PUT", "/v1/wallet/alert", { key: reader.key, body: "{}" });
  assert.deepEqual([refused.statusCode, refused.json().code], [403, "forbidden"]);
});
