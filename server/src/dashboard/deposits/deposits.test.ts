import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createTestApp } from "../../../testing/app/test-app.ts";
import { addBuyer } from "../../../testing/builders/buyers.ts";
import { signInAs } from "../../../testing/people/dashboard-visitor.ts";

const scrip = await createTestApp();
after(() => scrip.close());
const buyer = await addBuyer(scrip, "1.00");
const finance = await signInAs(scrip, buyer.resellerId, "finance");
const PATH = "/dashboard/deposits";
const textOf = ({ body }: { body: string }) => body.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

test("finance requests a deposit, and the page says how to pay it", async () => {
  const made = await finance.post(PATH, { amount: "1250.00", note: "<i>March</i>" });
  assert.equal(made.statusCode, 303, made.body);
  const page = await finance.get(String(made.headers.location));
  assert.match(textOf(page), /Deposit of 1,250\.00 USD/);
  assert.match(textOf(page), /Payment instructions Send 1250\.00 USD .* RF\d\d D/);
  assert.ok(page.body.includes("&lt;i&gt;March&lt;/i&gt;"));
  const list = await finance.get(PATH);
  assert.match(textOf(list), /requested RF\d\d D\w{3}/);
  assert.match(textOf(await finance.get(`${PATH}?status=credited`)), /No deposits yet/);
  assert.match(textOf(await finance.get("/dashboard/wallet")), /Deposits/);
  const inTest = await finance.post(`${PATH}?env=test`, { amount: "1.00", note: "" });
  assert.match(textOf(await finance.get(String(inTest.headers.location))), /Do not send money/);
  assert.equal((await finance.get(`${PATH}?cursor=forged`)).statusCode, 400);
});

test("a wrong amount comes back at its field with what was typed", async () => {
  for (const [amount, said] of [
    ["1,5", /is not an amount/],
    ["0", /positive/],
    ["1.001", /decimals/],
    ["", /Amount/],
  ] as const) {
    const reply = await finance.post(PATH, { amount, note: "kept note" });
    assert.equal(reply.statusCode, 422, amount);
    assert.match(textOf(reply), said);
    assert.match(reply.body, /value="kept note"/);
  }
});

test("a viewer reads deposits and is not offered the form", async () => {
  const viewer = await signInAs(scrip, buyer.resellerId, "viewer");
  const page = await viewer.get(PATH);
  assert.equal(page.statusCode, 200);
  assert.doesNotMatch(page.body, /Request deposit/);
  assert.equal((await viewer.post(PATH, { amount: "1.00" })).statusCode, 403);
});
