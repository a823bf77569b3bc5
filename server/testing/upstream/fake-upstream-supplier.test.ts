import assert from "node:assert/strict";
import { test } from "node:test";
import { secret } from "../../src/lib/secret.ts";
import { createScripSupplier } from "../../src/suppliers/scrip/scrip-supplier.ts";
import type { LookUpOutcome, RemoteSupplier } from "../../src/suppliers/supplier.ts";
import { SEED } from "../seed.ts";
import { openUpstream } from "./ask-upstream.ts";
import type { FakeUpstream } from "./fake-upstream.ts";
import { type Plan, type Refusal, sale } from "./upstream-faults.ts";
import { codeOf } from "./upstream-ledger.ts";
import { ALL_FAULTS } from "./upstream-plan.ts";
import { after, before, honest, type Step } from "./upstream-steps.ts";

const ANSWER_MS = 20_000;
/** How long to wait for the supplier if nothing comes. */
const PATIENCE_MS = 150;
const NEVER_MS = 60_000;
const REFERENCE = "ord_1.0.0.1";

/** The outcome of a placement with this fault, for a pending and for an immediately completed order. */
const PLACEMENTS: [Step, pending: string, completed: string][] = [
  [honest, "accepted", "delivered"],
  [before("reset"), "unknown connection_failed", "unknown connection_failed"],
  [after("reset"), "unknown connection_failed", "unknown connection_failed"],
  [after("cut"), "unknown connection_failed", "unknown connection_failed"],
  [before("hold"), "unknown connection_failed", "unknown connection_failed"],
  [after("late"), "unknown timeout", "unknown timeout"],
  [before("hang"), "unknown timeout", "unknown timeout"],
  [after("hang"), "unknown timeout", "unknown timeout"],
  [after("drip"), "unknown timeout", "unknown timeout"],
  [before("internal_error"), "unknown server_error", "unknown server_error"],
  [after("internal_error"), "unknown server_error", "unknown server_error"],
  [after("service_unavailable"), "unknown server_error", "unknown server_error"],
  [after("rate_limited"), "unknown busy", "unknown busy"],
  [before("html"), "unknown nonsense", "unknown nonsense"],
  [after("half-json"), "unknown nonsense", "unknown nonsense"],
  [after("blank"), "unknown nonsense", "unknown nonsense"],
  [after("redirect"), "unknown nonsense", "unknown nonsense"],
  // Only the placement is wrong here. The order's own status counts.
  [after("banana"), "accepted", "delivered"],
  [after("early"), "accepted", "delivered"],
  // A wrong id cannot be detected before it is read.
  [after("other-order"), "accepted", "unknown nonsense"],
];

for (const [step, pending, completed] of PLACEMENTS) {
  test(`buy with ${step.mishap} ${step.heard ? "after" : "before"} buying is ${pending} or ${completed}`, async (t) => {
    for (const [stages, expected] of [
      [["pending", "pending", "completed"], pending],
      [["completed"], completed],
    ] as const) {
      const plan = sale(stages, { place: [step] });
      const { upstream, supplier } = await open(t, plan);
      const asked = expected.includes("timeout") ? supplierOf(upstream, PATIENCE_MS) : supplier;
      assert.equal(told(await untilMet(upstream, step, () => buy(asked))), expected);
      upstream.heal();
      if (step.heard) expectTruth(upstream, await supplier.lookUp(REFERENCE, undefined));
    }
  });
}

test("buy with any wrong shape is unknown", async (t) => {
  for (let variant = 0; variant < 11; variant += 1) {
    const plan = sale(["pending"], { place: [after("wrong-shape", variant)] });
    const { supplier } = await open(t, plan);
    assert.equal(told(await buy(supplier)), "unknown nonsense", `variant ${variant}`);
  }
});

test("a definite refusal is refused, and nothing was bought", async (t) => {
  const refusals: Record<Refusal, string> = {
    insufficient_funds: "refused temporarily_unavailable",
    not_found: "refused out_of_stock",
    out_of_stock: "refused out_of_stock",
    product_not_purchasable: "refused out_of_stock",
    invalid_input_field: "refused invalid_account",
  };
  for (const [refusal, expected] of Object.entries(refusals)) {
    const course = { refusal: refusal as Refusal };
    const { upstream, supplier } = await open(t, { kind: "refuses", course, steps: {} });
    assert.equal(told(await buy(supplier)), expected);
    assert.equal(told(await supplier.lookUp(REFERENCE, undefined)), "not_found");
    assert.deepEqual(upstream.purchases(), []);
  }
});

test("an order that is accepted and then fails is refused for its own reason", async (t) => {
  const course = { stages: ["pending", "processing", "refunded"], failureCode: "invalid_account" } as const;
  const { supplier } = await open(t, { kind: "fails", course, steps: {} });
  const placed = await buy(supplier);
  const upstreamId = placed.kind === "accepted" ? placed.upstreamId : assert.fail(told(placed));
  assert.equal(told(await supplier.lookUp(REFERENCE, upstreamId)), "accepted");
  assert.equal(told(await supplier.lookUp(REFERENCE, upstreamId)), "refused invalid_account");
});

/** What a lookup finds of a completed order, by its reference, by its id, and by its codes. */
const LOOK_UPS: [Step, list: string, read: string, codes: string][] = [
  [honest, "delivered", "delivered", "delivered"],
  [after("reset"), "unknown connection_failed", "unknown connection_failed", "unknown connection_failed"],
  [after("cut"), "unknown connection_failed", "unknown connection_failed", "unknown connection_failed"],
  [after("hang"), "unknown timeout", "unknown timeout", "unknown timeout"],
  [after("drip"), "unknown timeout", "unknown timeout", "unknown timeout"],
  [after("internal_error"), "unknown server_error", "unknown server_error", "unknown server_error"],
  [after("rate_limited"), "unknown busy", "unknown busy", "unknown busy"],
  // If the order cannot be read by its id, it is looked up by its reference.
  [after("html"), "unknown nonsense", "delivered", "unknown nonsense"],
  [after("half-json"), "unknown nonsense", "delivered", "unknown nonsense"],
  [after("wrong-shape", 8), "unknown nonsense", "delivered", "unknown nonsense"],
  [after("other-order"), "unknown nonsense", "delivered", "unknown nonsense"],
  [after("banana"), "unknown nonsense", "delivered", "delivered"],
  [after("back"), "accepted", "accepted", "delivered"],
  [after("missing"), "not_found", "delivered", "unknown missing"],
];

for (const [step, list, read, codes] of LOOK_UPS) {
  test(`lookUp with ${step.mishap} is ${list}, ${read} or ${codes}, and then delivered`, async (t) => {
    for (const [verb, expected] of [
      ["list", list],
      ["read", read],
      ["codes", codes],
    ] as const) {
      const plan = sale(["pending", "completed"], { [verb]: [step] });
      const { upstream, supplier } = await open(t, plan);
      const asked = expected.includes("timeout") ? supplierOf(upstream, PATIENCE_MS) : supplier;
      const placed = await buy(supplier);
      const upstreamId = placed.kind === "accepted" && verb === "read" ? placed.upstreamId : undefined;
      const look = () => asked.lookUp(REFERENCE, upstreamId);
      assert.equal(told(await untilMet(upstream, step, look)), expected, verb);
      upstream.heal();
      expectTruth(upstream, await supplier.lookUp(REFERENCE, upstreamId));
    }
  });
}

test("empty, too many or not yet available codes are unknown", async (t) => {
  const plan = sale(["completed"], {
    codes: [after("empty-codes"), after("extra-code"), after("not-fulfilled")],
  });
  const { upstream, supplier } = await open(t, plan);
  assert.equal(told(await buy(supplier)), "unknown nonsense");
  assert.equal(told(await supplier.lookUp(REFERENCE, undefined)), "unknown nonsense");
  assert.equal(told(await supplier.lookUp(REFERENCE, undefined)), "unknown not_delivered");
  expectTruth(upstream, await supplier.lookUp(REFERENCE, undefined));
});

test("a buyer that keeps asking ends with the truth, for any faults", async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const upstream = await openUpstream(t, {
    seed: SEED,
    faults: ALL_FAULTS,
    noise: 0.2,
    landMs: NEVER_MS,
    lateMs: 2 * PATIENCE_MS,
  });
  const accounts = Array.from({ length: 80 }, (_, index) => `acct-${index}`);
  const buyAll = async (): Promise<void> => {
    for (let account = accounts.pop(); account !== undefined; account = accounts.pop()) {
      const end = await buyUntilKnown(upstream, `ord_${account}.0.0.1`, account);
      const bought = upstream.purchases().filter((purchase) => purchase.account === account);
      const codes = end.kind === "delivered" ? [codeOf(end.goods.reveal())] : [];
      const story = `seed ${SEED}: ${told(end)}\n${upstream.describe(account)}`;
      assert.ok(end.kind === "delivered" || end.kind === "refused", story);
      assert.deepEqual(
        bought.filter(({ state }) => state !== "failed" && state !== "refunded").map(({ code }) => code),
        codes,
        story,
      );
    }
  };
  await Promise.all(Array.from({ length: BUYERS }, buyAll));
});

const BUYERS = 10;
const ROUNDS_MAX = 40;

/** Repeats what was not found. A refusal after a lost response is believed if a lookup finds nothing. */
async function buyUntilKnown(
  upstream: FakeUpstream,
  reference: string,
  account: string,
): Promise<LookUpOutcome> {
  let next: "send" | "look" = "send";
  let isDoubtful = false;
  let upstreamId: string | undefined;
  let refusal: LookUpOutcome | undefined;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    // The timeout grows, because on a busy machine good responses take their time too.
    const supplier = supplierOf(upstream, PATIENCE_MS * (1 + round));
    const outcome: LookUpOutcome =
      next === "send"
        ? await supplier.buy({ reference, sku: "sku", inputFields: { account } })
        : await supplier.lookUp(reference, upstreamId);
    if (outcome.kind === "delivered") return outcome;
    if (outcome.kind === "refused" && (next === "look" || !isDoubtful)) return outcome;
    if (outcome.kind === "not_found" && refusal) return refusal;
    if (outcome.kind === "refused") refusal = outcome;
    if (outcome.kind === "unknown") isDoubtful = true;
    if (outcome.kind === "accepted") upstreamId = outcome.upstreamId;
    next = outcome.kind === "not_found" ? "send" : "look";
  }
  return { kind: "unknown", reason: `no result after ${ROUNDS_MAX} rounds` };
}

async function open(
  t: Parameters<typeof openUpstream>[0],
  plan: Plan,
): Promise<{ upstream: FakeUpstream; supplier: RemoteSupplier }> {
  const upstream = await openUpstream(t, { faults: () => plan, lateMs: NEVER_MS, landMs: NEVER_MS });
  return { upstream, supplier: supplierOf(upstream, ANSWER_MS) };
}

const supplierOf = ({ baseUrl, apiKey }: FakeUpstream, timeoutMs: number): RemoteSupplier =>
  createScripSupplier({ baseUrl, apiKey: secret(apiKey), timeoutMs });

/** On a busy machine a short timeout can end before the request arrives. Then it is repeated. */
async function untilMet<Outcome>(
  upstream: FakeUpstream,
  { mishap }: Step,
  ask: () => Promise<Outcome>,
): Promise<Outcome> {
  for (;;) {
    const outcome = await ask();
    if (upstream.calls().some((call) => call.mishap === mishap)) return outcome;
  }
}

const buy = (supplier: RemoteSupplier) =>
  supplier.buy({ reference: REFERENCE, sku: "sku", inputFields: { account: "acct-1" } });

function told(outcome: LookUpOutcome): string {
  if (outcome.kind === "refused") return `refused ${outcome.failureCode}`;
  return outcome.kind === "unknown" ? `unknown ${outcome.reason}` : outcome.kind;
}

/** Its own code, from its only purchase. */
function expectTruth(upstream: FakeUpstream, outcome: LookUpOutcome): void {
  const code = outcome.kind === "delivered" ? codeOf(outcome.goods.reveal()) : told(outcome);
  assert.deepEqual(
    upstream.purchases().map((purchase) => purchase.code),
    [code],
  );
}
