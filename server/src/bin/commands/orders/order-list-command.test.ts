import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../../../testing/app/test-app.ts";
import { TEST_MASTER_KEY } from "../../../../testing/app/test-settings.ts";
import { addBuyer, addCard, type Buyer, CARD, postOrder } from "../../../../testing/builders/buyers.ts";
import { openScripDesk, type ScripDesk } from "../../../../testing/processes/scrip-desk.ts";

let app: TestApp;
let buyer: Buyer;
let scrip: ScripDesk;

before(async () => {
  app = await createTestApp();
  scrip = openScripDesk({
    DATABASE_URL: app.connectionString,
    SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64"),
  });
  await addCard(app.db);
  buyer = await addBuyer(app, "100.00");
});
after(async () => {
  await app.close();
});

const place = (key: string) => postOrder(app, buyer, key, { lines: [{ productId: CARD, quantity: 1 }] });

test("order list shows an order to people and to scripts, and says what to do when there is none", async () => {
  const empty = await scrip.run(["order", "list"]);
  assert.match(empty.stdout, /^No orders match/);
  const { id } = (await place("first")).json().order;
  const { data } = await scrip.json<{ data: Record<string, unknown>[] }>(["order", "list"]);
  const [row] = data;
  assert.deepEqual(
    [row?.id, row?.resellerId, row?.env, row?.status, row?.total, row?.units],
    [id, buyer.resellerId, "live", "pending", { amount: 250, currency: "USD" }, 1],
  );
  for (const columns of ["80", "200"]) {
    const { stdout } = await scrip.run(["order", "list"], { COLUMNS: columns });
    for (const line of stdout.split("\n")) assert.ok(line.length <= Number(columns), line);
    assert.match(stdout, new RegExp(`^${id} +pending +live +2\\.50 USD `, "m"));
  }
  for (const [args, reason] of [
    [["--status", "lost"], /--status must be one of pending/],
    [["--older-than", "1y"], /--older-than must be an age such as 30m/],
    [["--limit", "0"], /--limit must be from 1 to 1000/],
  ] as const) {
    const refused = await scrip.run(["order", "list", ...args]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, reason);
  }
});

test("a frozen reseller cannot place orders, can read and replay, and can order again after unfreeze", async () => {
  const placed = (await place("before")).json().order;
  const freeze = ["reseller", "freeze", buyer.resellerId];
  assert.match((await scrip.run(freeze)).stderr, /required option '--reason <text>' not specified/);
  await scrip.json([...freeze, "--reason", "Unusual orders"]);
  const refused = await place("after");
  assert.deepEqual([refused.statusCode, refused.json().code], [403, "reseller_frozen"]);
  const replayed = await place("before");
  assert.deepEqual([replayed.statusCode, replayed.json().order.id], [202, placed.id]);
  const read = await app.call("GET", `/v1/orders/${placed.id}`, { key: buyer.key });
  assert.equal(read.statusCode, 200);
  const { stdout } = await scrip.run(["reseller", "show", buyer.resellerId]);
  assert.match(stdout, /^State +frozen since 20.*\nReason +Unusual orders$/m);
  const unfreeze = ["reseller", "unfreeze", buyer.resellerId, "--reason", "Checked"];
  const shown = await scrip.json<{ frozenAt?: string }>(unfreeze);
  assert.equal(shown.frozenAt, undefined);
  assert.equal((await place("after")).statusCode, 202);
});
