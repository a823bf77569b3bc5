import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addBuyer, addCard, type Buyer, postOrder } from "../../../testing/builders/buyers.ts";
import { createHandClock } from "../../../testing/hand-clock.ts";
import { type DashboardVisitor, signInAs } from "../../../testing/people/dashboard-visitor.ts";
import { moveFunds } from "../../wallet/move-funds.ts";

const clock = createHandClock(new Date("2041-05-30T07:08:09Z"));
const DAY_MS = 86_400_000;
let scrip: TestApp;
let buyer: Buyer;
let finance: DashboardVisitor;

before(async () => {
  scrip = await createTestApp({ clock });
  await addCard(scrip.db);
  buyer = await addBuyer(scrip, "1234.50");
  await postOrder(scrip, buyer, "may");
  clock.advance(3 * DAY_MS);
  await postOrder(scrip, buyer, "june");
  const note = `=1+1 <b>bold</b>`;
  await moveFunds(scrip.db, clock, buyer, { direction: "debit", amount: "1.00", note });
  finance = await signInAs(scrip, buyer.resellerId, "finance");
});
after(() => scrip?.close());

const count = (body: string, text: string): number => body.split(text).length - 1;

test("the wallet shows its balance, how long it lasts, and a statement with the balance after each entry", async () => {
  const { statusCode, body } = await finance.get("/dashboard/wallet");
  assert.equal(statusCode, 200);
  assert.match(body, /<b>1,228\.50<\/b> <small>USD<\/small>/);
  assert.match(body, /about 999 days|about \d+ days at this week/);
  assert.match(body, /1,234\.50 USD/);
  assert.match(body, /1,232\.00 USD/);
  assert.ok(body.includes("=1+1 &lt;b&gt;bold&lt;/b&gt;"));
  assert.match((await finance.get("/dashboard/wallet?env=test")).body, /Test data[\s\S]*1,000,000\.00/);
});

test("filters live in the address, and an unknown one is left out", async () => {
  const rows = async (query: string) =>
    count((await finance.get(`/dashboard/wallet?${query}`)).body, '<td class="num"><span class="money">') / 2;
  assert.equal(await rows(""), 4);
  assert.equal(await rows("type=order"), 2);
  assert.equal(await rows("from=2041-06-01"), 2);
  assert.equal(await rows("to=2041-05-30"), 2);
  assert.equal(await rows("type=nonsense&from=yesterday"), 4);
  assert.match((await finance.get("/dashboard/wallet?type=refund")).body, /No entries match/);
  assert.equal((await finance.get("/dashboard/wallet?cursor=forged")).statusCode, 400);
});

test("the file has every entry, without formulas", async () => {
  const { headers, body } = await finance.get("/dashboard/wallet/entries.csv");
  assert.equal(headers["content-disposition"], 'attachment; filename="wallet-live.csv"');
  const lines = body.trim().split("\r\n");
  assert.equal(lines.length, 5);
  assert.match(lines[1] ?? "", /^2041-06-02T\S+,adjustment,-1\.00,1228\.50,USD,,'=1\+1 <b>bold<\/b>,ent_/);
  const may = await finance.get("/dashboard/wallet/statement.csv?month=2041-05");
  assert.equal(may.body.trim().split("\r\n").length, 3);
});

test("the statement of a month adds up from its first balance to its last", async () => {
  const may = (await finance.get("/dashboard/wallet/statement?month=2041-05")).body;
  assert.match(may, /Statement of May 2041/);
  assert.match(may, /Balance on 1 May 2041<\/dt><dd><span class="money">0\.00 USD/);
  assert.match(may, /1 orders? less 0 refunds<\/dt><dd><span class="money">-2\.50 USD/);
  assert.match(may, /Balance at the end<\/dt><dd><span class="money">1,232\.00 USD/);
  const june = (await finance.get("/dashboard/wallet/statement")).body;
  assert.match(june, /Statement of Jun 2041[\s\S]*Balance so far<\/dt><dd><span class="money">1,228\.50 USD/);
  assert.match(june, /Adjustments<\/dt><dd><span class="money">-1\.00 USD/);
});

test("everyone on the team reads the wallet, finance and owners take files, and no one else sees it", async () => {
  const viewer = await signInAs(scrip, buyer.resellerId, "viewer");
  assert.equal((await viewer.get("/dashboard/wallet")).statusCode, 200);
  assert.ok(!(await viewer.get("/dashboard/wallet")).body.includes("entries.csv"));
  for (const path of ["entries.csv", "statement.csv"])
    assert.equal((await viewer.get(`/dashboard/wallet/${path}`)).statusCode, 403);
  const stranger = await signInAs(scrip, (await scrip.addReseller()).id, "owner");
  assert.match((await stranger.get("/dashboard/wallet")).body, /No entries yet/);
  for (const path of ["", "/statement", "/entries.csv", "/statement.csv"])
    assert.equal((await scrip.app.inject(`/dashboard/wallet${path}`)).statusCode, 303);
});
