import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { MATRIX } from "../../testing/app/dashboard-matrix.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { openDashboardDesk } from "../../testing/people/dashboard-desk.ts";
import type { DashboardVisitor } from "../../testing/people/dashboard-visitor.ts";
import {
  addFilledProducts,
  type FilledReseller,
  fillReseller,
} from "../../testing/people/filled-reseller.ts";
import { createSoftAuthenticator } from "../../testing/people/soft-authenticator.ts";

/** Markup, the end of an attribute, and a formula. */
const TEXT = `=cmd|'x'!A1"><img src=x onerror=planted()>`;
const RAW = /<img src=x/;
const ESCAPED = /&lt;img src=x onerror=planted\(\)/;
/** At the beginning of a cell, in quotes or not. */
const FORMULA = /(^|[\n,])"?=cmd/;

let desk: Awaited<ReturnType<typeof openDashboardDesk>>;
let filled: FilledReseller;
let owner: DashboardVisitor;
before(async () => {
  desk = await openDashboardDesk({ clock: createHandClock(new Date()) });
  await addFilledProducts(desk, TEXT);
  filled = await fillReseller(desk, TEXT);
  owner = await desk.join(filled.resellerId, "owner");
  const device = createSoftAuthenticator({ origin: "https://api.scrip.example", rpId: "api.scrip.example" });
  const options = (await owner.post("/dashboard/security/passkey/options")).json();
  const credential = device.create(options);
  assert.equal((await owner.post("/dashboard/security/passkey", { credential, name: TEXT })).statusCode, 200);
  // The log of activity gets it too.
  const changed = { name: TEXT, scopes: ["orders:read"] };
  assert.equal((await owner.post(`/dashboard/keys/${filled.keyId}?env=test`, changed)).statusCode, 303);
});
after(() => desk?.close());

/** Pages where the text must be seen, so that its absence elsewhere says something. */
const SHOWN = [
  ...["/dashboard", "/dashboard/catalog", "/dashboard/catalog/:id", "/dashboard/orders/:id"],
  ...["/dashboard/orders", "/dashboard/keys", "/dashboard/keys/:id", "/dashboard/keys/:id/roll"],
  ...["/dashboard/keys/:id/revoke", "/dashboard/team", "/dashboard/team/:id", "/dashboard/security"],
  ...["/dashboard/deliveries/:id", "/dashboard/requests", "/dashboard/requests/:id", "/dashboard/activity"],
];
const FILES = ["/dashboard/catalog.csv", "/dashboard/orders.csv"];

test("what others wrote is text on every page of the dashboard, and no formula in any file", async () => {
  const paths = Object.keys(MATRIX)
    .filter((key) => key.startsWith("GET "))
    .map((key) => key.slice("GET ".length));
  for (const path of paths) {
    const id = MATRIX[`GET ${path}`]?.ids?.(filled).id ?? filled.productId;
    for (const env of ["?env=test", ""]) {
      const { body, headers, statusCode } = await owner.get(`${path.replace(":id", id)}${env}`);
      assert.ok(statusCode < 500, `${path}${env}: ${statusCode}`);
      const isFile = String(headers["content-type"]).startsWith("text/csv");
      if (isFile) assert.doesNotMatch(body, FORMULA, path);
      else assert.doesNotMatch(body, RAW, `${path}${env}`);
      if (env === "") continue;
      if (SHOWN.includes(path)) assert.match(body, ESCAPED, path);
      if (FILES.includes(path)) assert.match(body, /'=cmd/, path);
    }
  }
  const wallet = await owner.get("/dashboard/wallet");
  assert.match(wallet.body, ESCAPED);
  assert.match((await owner.get("/dashboard/wallet/entries.csv")).body, /'=cmd/);
});

test("what a search or an address says is text on its page", async () => {
  const query = new URLSearchParams({ env: "test" });
  for (const name of ["q", "id", "reference", "errorCode", "orderId", "actor", "action", "back", "month"])
    query.set(name, TEXT);
  for (const path of ["orders", "catalog", "requests", "events", "activity", "wallet", "keys", "sign-in"])
    assert.doesNotMatch((await owner.get(`/dashboard/${path}?${query}`)).body, RAW, path);
  assert.doesNotMatch((await owner.get(`/dashboard/${encodeURIComponent(TEXT)}`)).body, RAW);
});

test("letters have it as text, and in no header", async () => {
  await owner.post("/dashboard/keys?env=test", { name: TEXT, scopes: ["orders:read"] });
  await owner.post("/dashboard/team", { email: "new@corner.example", name: TEXT, role: "viewer" });
  const letters = await desk.db.rows<{ subject: string; text: string; html: string; to: string }>(sql`
    select subject, recipient as to, body_text as text, body_html as html from letters`);
  assert.ok(letters.some(({ text }) => text.includes(TEXT)));
  for (const { subject, to, html } of letters) {
    assert.doesNotMatch(`${subject}${to}`, /[\r\n]/);
    assert.doesNotMatch(html ?? "", RAW);
  }
  const hostile = "New\r\nBcc: everyone@evil.example";
  const refused = await owner.post("/dashboard/team", {
    email: "b@corner.example",
    name: hostile,
    role: "viewer",
  });
  assert.equal(refused.statusCode, 422);
  const toTwo = await owner.post("/dashboard/team", { email: "a@b.example,c@d.example", role: "viewer" });
  assert.equal(toTwo.statusCode, 422);
});
