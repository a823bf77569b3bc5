import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Registry } from "prom-client";
import { TEST_MASTER_KEY } from "../../testing/app/test-settings.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { scripJson } from "../../testing/processes/run-scrip.ts";
import {
  LINES,
  type Line,
  openSandbox,
  type SandboxDesk,
  totalOf,
} from "../../testing/sandbox/sandbox-desk.ts";
import { createFulfilmentMetrics } from "../fulfilment/fulfilment-metrics.ts";
import { holdOrder, retryOrder } from "../fulfilment/operate/hold-order.ts";
import { refundOrder } from "../fulfilment/refund/refund-order.ts";
import { sweep } from "../fulfilment/sweep.ts";
import { createLog } from "../lib/log.ts";

const EACH = sizeFor("soak", { share: 60, full: 1_000 });
const DAY_MS = 86_400_000;
const TOTAL = totalOf(LINES);

let desk: SandboxDesk;
let env: Record<string, string>;
before(async () => {
  desk = await openSandbox();
  env = { DATABASE_URL: desk.scrip.connectionString, SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64") };
});
after(() => desk.close());

let made = 0;
async function order(scenario: string): Promise<string> {
  made += 1;
  const id = await desk.order({ idempotencyKey: `${scenario} ${made}`, scenario });
  await desk.work();
  return id;
}
const operated = () => [desk.scrip.db, desk.clock] as const;

test("an order that is stuck stays so when it is tried again, held and released, and can be paid back", async () => {
  const id = await order("stuck");
  const steps = [
    () => retryOrder(...operated(), id),
    () => holdOrder(...operated(), id, true),
    () => holdOrder(...operated(), id, false),
    () => retryOrder(...operated(), id),
  ];
  for (const step of steps) {
    await step();
    await desk.work();
    assert.equal((await desk.read(id)).status, "processing");
    await desk.assertHealthy();
  }
  const balance = await desk.balance();
  await refundOrder(...operated(), { orderId: id, lines: undefined, reason: "enough" });
  await desk.work();
  assert.equal((await desk.read(id)).status, "refunded");
  assert.equal(await desk.balance(), balance + TOTAL);
  await desk.assertHealthy();
});

test("an order that rests at failed is on hold like any other: released it is refunded, once, and told", async () => {
  const id = await order("failed");
  await assert.rejects(retryOrder(...operated(), id), /its refund is on hold/);
  await holdOrder(...operated(), id, true);
  await desk.work();
  assert.equal((await desk.read(id)).status, "failed");
  const balance = await desk.balance();
  await holdOrder(...operated(), id, false);
  await desk.work();
  desk.clock.advance(DAY_MS);
  await desk.work();
  assert.equal((await desk.read(id)).status, "refunded");
  assert.equal(await desk.balance(), balance + TOTAL);
  assert.deepEqual(
    desk.receivedOf(id).map(({ type, status }) => `${type} ${status}`),
    ["order.refunded refunded"],
  );
  await desk.assertHealthy();
});

test("an order that is refunded after its completion may have been refunded by the operator before", async () => {
  const scenario = "refunded_after_completion";
  const balance = await desk.balance();
  const [whole, half] = [await order(scenario), await order(scenario)];
  await refundOrder(...operated(), { orderId: whole, lines: undefined, reason: "first" });
  await refundOrder(...operated(), { orderId: half, lines: [1], reason: "first" });
  desk.clock.advance(2_000);
  await desk.work();
  for (const id of [whole, half]) {
    const { status, refundedTotal } = await desk.read(id);
    assert.deepEqual([status, refundedTotal.amount], ["refunded", TOTAL]);
  }
  assert.equal((await desk.entriesOf(half)).length, 3, "the order, the operator's refund, and the rest");
  assert.equal(await desk.balance(), balance);
  await desk.assertHealthy();
});

test("order show tells the scenario of a sandbox order, and retry and hold do from a terminal what they do here", async () => {
  const [stuck, failed, plain] = [await order("stuck"), await order("failed"), await order("success")];
  const show = (id: string) => scripJson<Record<string, unknown>>(["order", "show", id], env);
  const shown = await show(stuck);
  assert.deepEqual([shown.env, shown.testScenario, shown.attempts], ["test", "stuck", []]);
  assert.equal("testScenario" in (await show(plain)), false);
  const retried = await scripJson<{ status: string }>(["order", "retry", stuck], env);
  assert.equal(retried.status, "processing");
  await scripJson(["order", "hold", failed, "--release"], env);
  await desk.work();
  assert.equal((await desk.read(stuck)).status, "processing");
  assert.equal((await desk.read(failed)).status, "refunded");
});

test(`${EACH} stuck and as many failed orders are no backlog, no alert and nothing for the audit`, async () => {
  const lines: Line[] = [["voucher", 1]];
  const scenarios = Array.from({ length: 2 * EACH }, (_, index) => (index % 2 === 0 ? "stuck" : "failed"));
  await Promise.all(
    scenarios.map((scenario, index) => desk.order({ idempotencyKey: `many ${index}`, scenario, lines })),
  );
  await desk.work();
  desk.clock.advance(30 * DAY_MS);
  await desk.work();

  const registry = new Registry();
  const logged: string[] = [];
  const log = createLog("debug", { write: (line) => void logged.push(line) });
  await sweep({ ...desk.worker.deps, log, metrics: createFulfilmentMetrics(registry) });
  const shown = Object.fromEntries(
    (await registry.metrics())
      .split("\n")
      .filter((line) => !line.startsWith("#"))
      .map((line) => line.split(" ")),
  );
  for (const gauge of ["scrip_orders_due", "scrip_orders_oldest_due_seconds", "scrip_purchases_unknown"])
    assert.equal(shown[gauge], "0", gauge);
  assert.deepEqual(logged, []);
  await desk.assertHealthy();
});
