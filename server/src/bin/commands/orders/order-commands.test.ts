import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../../testing/app/test-app.ts";
import { TEST_MASTER_KEY } from "../../../../testing/app/test-settings.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  CARD,
  CARD_PRICE_MINOR,
  postOrder,
} from "../../../../testing/builders/buyers.ts";
import { createTestFulfiller, type TestFulfiller } from "../../../../testing/builders/fulfilment.ts";
import { addRouteRow, addSupplierRow } from "../../../../testing/builders/supply-builders.ts";
import { isWide } from "../../../../testing/full-size.ts";
import { runScrip, scripJson } from "../../../../testing/processes/run-scrip.ts";
import {
  accepted,
  createScriptedSupplier,
  lost,
  refused,
  type ScriptedSupplier,
  sold,
} from "../../../../testing/upstream/scripted-supplier.ts";
import { listActivity } from "../../../activity/list-activity.ts";

let scrip: TestApp;
let env: Record<string, string>;
let buyer: Buyer;
let supplierId: string;
let supplier: ScriptedSupplier;
let worker: TestFulfiller;

before(async () => {
  scrip = await createTestApp();
  env = { DATABASE_URL: scrip.connectionString, SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64") };
  await addCard(scrip.db);
  buyer = await addBuyer(scrip, "100.00");
  supplierId = await addSupplierRow(scrip.db, { kind: "scrip" });
  await addRouteRow(scrip.db, { productId: CARD, supplierId });
  supplier = createScriptedSupplier();
  worker = createTestFulfiller(scrip, { suppliers: { [supplierId]: supplier } });
});
after(() => scrip.close());

let made = 0;
/** An order of two lines with a unit each, after the supplier has answered. */
async function order(...answers: ScriptedSupplier["answers"]): Promise<string> {
  made += 1;
  const line = { productId: CARD, quantity: 1 };
  const reply = await postOrder(scrip, buyer, `order ${made}`, { lines: [line, line] });
  const { id } = reply.json().order;
  supplier.answers = answers;
  if (answers.length > 0) {
    // Purchases of earlier orders that are due to be asked about would take answers of this one.
    await scrip.db.rows(
      sql`update order_work set due_at = due_at + interval '1 hour' where order_id <> ${id}`,
    );
    await worker.step();
    await worker.idle();
  }
  return id;
}
const read = async (id: string) =>
  (await scrip.call("GET", `/v1/orders/${id}`, { key: buyer.key })).json().order;
const money = (units: number) => ({
  amount: units * CARD_PRICE_MINOR,
  currency: "USD",
  minorUnitExponent: 2,
});

test("order show prints reseller, key, everything the reseller sees, and the attempts, but no code", async () => {
  const id = await order(sold("SHOWN-CODE"), accepted);
  const shown = await scripJson<{ attempts: Record<string, unknown>[] }>(["order", "show", id], env);
  const { attempts, ...rest } = shown;
  assert.deepEqual(rest, {
    resellerId: buyer.resellerId,
    env: "live",
    idempotencyKey: `order ${made}`,
    placedBy: { kind: "key", id: buyer.keyId },
    order: await read(id),
    refundHeld: false,
  });
  assert.deepEqual(
    attempts.map(({ openedAt, resolvedAt, ...attempt }) => [attempt, resolvedAt !== null]),
    [
      ["delivered", true],
      ["open", false],
    ].map(([status, isResolved], lineIndex) => [
      {
        lineIndex,
        unitIndex: 0,
        reference: `${id}.${lineIndex}.0.1`,
        supplierId,
        status,
        failureCode: null,
        sends: 1,
        looks: 1,
        writtenOffAt: null,
        ...(isResolved ? {} : { said: "pending_there" }),
        upstreamId: isResolved ? "upstream of SHOWN-CODE" : "ord_upstream",
        ...{ sendAnswer: isResolved ? "delivered" : "accepted", sendHttpStatus: null, sendWord: null },
        ...{ lookAnswer: null, lookHttpStatus: null, lookWord: null, byHand: false },
      },
      isResolved,
    ]),
  );
  const { stdout } = await runScrip(["order", "show", id], env);
  assert.match(stdout, new RegExp(`^Order +${id}\nStatus +processing\nReseller +${buyer.resellerId}$`, "m"));
  assert.match(stdout, new RegExp(`^ +0 +0 +delivered +${supplierId} `, "m"));
  assert.match(stdout, / pending there: accepted +ord_upstream /);
  assert.doesNotMatch(stdout.replaceAll("upstream of SHOWN-CODE", ""), /SHOWN-CODE/);
});

test("order refund refunds the chosen lines, then all, and the reseller sees the reason", async () => {
  const id = await order();
  const before = await balanceOf(scrip.db, buyer);
  const args = ["order", "refund", id, "--reason", "wrong region"];
  const part = await scripJson<object>([...args, "--lines", "1"], env);
  assert.deepEqual(part, { orderId: id, status: "processing", refundedUnits: 1, amount: money(1) });
  const rest = await runScrip(args, env);
  assert.deepEqual(rest, {
    code: 0,
    stdout: `${id}: 1 unit refunded, 2.50 USD; the order is refunded\n`,
    stderr: "",
  });
  assert.equal(await balanceOf(scrip.db, buyer), before + 2 * CARD_PRICE_MINOR);
  const { data } = (
    await scrip.call("GET", `/v1/wallet/entries?orderId=${id}&type=refund`, { key: buyer.key })
  ).json();
  assert.deepEqual(
    data.map(({ amount, note }: { amount: number; note: string }) => [amount, note]),
    Array(2).fill([CARD_PRICE_MINOR, "wrong region"]),
  );
});

test("order retry processes a waiting order now", async () => {
  const id = await order(accepted);
  supplier.answers = [sold("RETRIED-1"), sold("RETRIED-2")];
  assert.deepEqual(await scripJson(["order", "retry", id], env), {
    orderId: id,
    status: "processing",
    refundHeld: false,
  });
  await worker.drain();
  assert.equal((await read(id)).status, "completed");
  const again = await runScrip(["order", "retry", id], env);
  assert.deepEqual(again, {
    code: 1,
    stdout: "",
    stderr: `scrip: ${id} is completed: there is nothing to retry\n`,
  });
});

test("order hold holds the refund of a failed order until it is released", async () => {
  const id = await order();
  const held = { orderId: id, status: "pending", refundHeld: true };
  assert.deepEqual(await scripJson(["order", "hold", id], env), held);
  supplier.answers = [refused("rejected_by_issuer")];
  await worker.drain();
  assert.equal((await read(id)).status, "failed");
  const shown = await scripJson<{ refundHeld: boolean }>(["order", "show", id], env);
  assert.equal(shown.refundHeld, true);
  const released = await runScrip(["order", "hold", id, "--release"], env);
  assert.deepEqual(released, { code: 0, stdout: `${id} is failed; its refund is not on hold\n`, stderr: "" });
  await worker.drain();
  assert.equal((await read(id)).status, "refunded");
});

test("order enter-code delivers what the supplier's support sent, from a file of text or JSON", async (t) => {
  const id = await order(accepted);
  await scrip.db.rows(sql`update supplier_attempts set told_state = 'sold' where order_id = ${id}`);
  const folder = mkdtempSync(join(tmpdir(), "mailed-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const enter = (unit: string, content: string) => {
    const file = join(folder, "mailed");
    writeFileSync(file, content);
    return runScrip(["order", "enter-code", id, "--unit", unit, "--file", file], env);
  };
  for (const [content, why] of [
    ["", /has neither a code nor a url/],
    ['{"code":"MAILED-1","cost":"1"}', /a code has no member "cost"/],
    ['{"code":"MAILED-1"', /begins as JSON and is none/],
    ['{"code":"MAILED-1","expiresAt":"soon"}', /expiresAt: is neither a date/],
  ] as const) {
    const refused = await enter("0.0", content);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, why);
    assert.doesNotMatch(refused.stderr, /MAILED/);
  }
  const done = await enter("0.0", "MAILED-1\n");
  assert.deepEqual(done, {
    code: 0,
    stdout: `${id}: the code was sealed and delivered for line 0, unit 0\n`,
    stderr: "",
  });
  assert.match((await enter("1.0", "MAILED-1")).stderr, /this code was seen before/);
  await enter("1.0", '{"url":"https://codes.example/2","pin":"4711"}');
  assert.equal((await read(id)).status, "completed");
  const reply = await scrip.call("GET", `/v1/orders/${id}/codes`, { key: buyer.key });
  assert.deepEqual(
    reply.json().data.map(({ code, url, pin }: Record<string, string>) => [code, url, pin]),
    [
      ["MAILED-1", undefined, undefined],
      [undefined, "https://codes.example/2", "4711"],
    ],
  );
});

test("order look-up asks about unknown purchases and sends nothing, and order write-off pays them back", async () => {
  const id = await order(sold("KEPT-CODE"), lost);
  const before = await balanceOf(scrip.db, buyer);
  // The supplier of this test has no config that opens, so it cannot be called from another process.
  const reference = `${id}.1.0.1`;
  assert.deepEqual(await scripJson(["order", "look-up", id], env), {
    orderId: id,
    purchases: [{ reference, supplierId, answer: "not_available", outcome: "open" }],
  });
  const written = await runScrip(["order", "write-off", id, "--reason", "no answer"], env);
  assert.deepEqual(written, {
    code: 0,
    stdout: `${id}: 1 unit written off, 2.50 USD refunded; the order is completed\n`,
    stderr: "",
  });
  assert.equal(await balanceOf(scrip.db, buyer), before + CARD_PRICE_MINOR);
  const log = await listActivity(
    scrip.db,
    { kind: "staff" },
    { object: { kind: "order", id } },
    { limit: 5 },
  );
  assert.deepEqual(
    log.data.map(({ actor, action }) => [actor.kind, actor.id, action]),
    [
      ["command", "scrip order", "order.written_off"],
      ["command", "scrip order", "order.looked_up"],
    ],
  );
});

const REFUSED: [string, (id: string) => string[], number, RegExp][] = [
  ["a refund without a reason", (id) => ["refund", id], 2, /required option '--reason/],
  ["lines that are none", (id) => ["refund", id, "--reason", "x", "--lines", "0,b"], 2, /not "b"/],
  ["a line that is not there", (id) => ["refund", id, "--reason", "x", "--lines", "0,7"], 1, /has no line 7/],
  ["no line at all", (id) => ["refund", id, "--reason", "x", "--lines", ""], 1, /nothing of these lines/],
  ["an empty reason", (id) => ["refund", id, "--reason", " "], 1, /a refund needs a reason/],
  ["the refund of no order", () => ["refund", "ord_none", "--reason", "x"], 1, /there is no order ord_none/],
  ["units that are none", (id) => ["refund", id, "--reason", "x", "--units", "0"], 2, /not "0"/],
  [
    "a unit that is not there",
    (id) => ["refund", id, "--reason", "x", "--units", "0.9"],
    1,
    /of these units/,
  ],
  ["nothing to write off", (id) => ["write-off", id, "--reason", "x"], 1, /no purchase whose outcome/],
  ["nothing to look up", (id) => ["look-up", id], 1, /nothing to look up/],
  ["no order to hold", () => ["hold", "ord_none"], 1, /there is no order ord_none/],
  ["no order to retry", () => ["retry", "ord_none"], 1, /there is no order ord_none/],
  ["no order to show", () => ["show", "ord_none"], 1, /there is no order ord_none/],
];

/** Each starts a process. */
const SHARE = 4;

test("an invalid input is refused with its reason on standard error, and changes nothing", {
  concurrency: 3,
}, async (t) => {
  const id = await order();
  const before = [await balanceOf(scrip.db, buyer), await read(id)];
  const checks = (isWide() ? REFUSED : REFUSED.slice(0, SHARE)).map(([what, args, code, reason]) =>
    t.test(`${what}: exit ${code}`, async () => {
      const finished = await runScrip(["order", ...args(id)], env);
      assert.deepEqual([finished.code, finished.stdout], [code, ""], finished.stderr);
      assert.match(finished.stderr, reason);
    }),
  );
  await Promise.all(checks);
  assert.deepEqual([await balanceOf(scrip.db, buyer), await read(id)], before);
});
