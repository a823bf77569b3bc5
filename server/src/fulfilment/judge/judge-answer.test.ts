import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../../../testing/seed.ts";
import { accepted, lost, notFound, refused, sold } from "../../../testing/upstream/scripted-supplier.ts";
import { secret } from "../../lib/secret.ts";
import { FAILURE_CODES, type LookUpOutcome, type PurchaseOutcome } from "../../suppliers/supplier.ts";
import { FULFILMENT_LIMITS, lookPauseMs } from "../limits.ts";
import type { Attempt } from "../take/order-work.ts";
import { type Judgement, judgeLookedUp, judgeSent, type SendAgain } from "./judge-answer.ts";

const NOW = new Date("2030-01-02T03:04:05.678Z");
const limits = FULFILMENT_LIMITS;
const at = (ms: number): Date => new Date(NOW.getTime() + ms);

type Known = Pick<Attempt, "upstreamId" | "doubtful" | "doubtedFailureCode" | "looks" | "lastSentAt">;
const fresh: Known = {
  upstreamId: null,
  doubtful: false,
  doubtedFailureCode: null,
  looks: 0,
  lastSentAt: NOW,
};
const doubtful: Known = { ...fresh, doubtful: true };
const doubted: Known = { ...doubtful, doubtedFailureCode: "out_of_stock" };
const sentLongAgo = { lastSentAt: at(-limits.resendDelayMs) };
const code = sold("A-1");
const no = refused("rejected_by_issuer");

/** What is remembered of an attempt that stays open, without when it is looked at next. */
const staysOpen = ({ upstreamId, doubtful, doubtedFailureCode }: Known) => ({
  kind: "open",
  upstreamId,
  doubtful,
  doubtedFailureCode,
});

const signedOut: PurchaseOutcome = {
  kind: "refused",
  failureCode: "temporarily_unavailable",
  supplierFault: true,
  isUnheard: true,
};

const SENT: [string, Known, PurchaseOutcome, object][] = [
  ["a code that came is bought", fresh, code, { kind: "bought", answer: code }],
  [
    "refused credentials are a no while nothing was lost before",
    fresh,
    signedOut,
    { kind: "refused", failureCode: "temporarily_unavailable" },
  ],
  ["refused credentials say nothing about a purchase in doubt", doubtful, signedOut, staysOpen(doubtful)],
  ["a code that came after doubts is bought", doubted, code, { kind: "bought", answer: code }],
  ["a refusal at once is believed", fresh, no, { kind: "refused", failureCode: "rejected_by_issuer" }],
  [
    "a refusal in words that we do not know is only remembered, because the purchase may become visible later",
    fresh,
    { kind: "refused", failureCode: "rejected_by_issuer", supplierFault: false, isDoubted: true },
    staysOpen({ ...doubtful, doubtedFailureCode: "rejected_by_issuer" }),
  ],
  [
    "a refusal while an earlier answer is lost is only remembered",
    doubtful,
    no,
    staysOpen({ ...doubtful, doubtedFailureCode: "rejected_by_issuer" }),
  ],
  [
    "an acceptance gives the supplier's own id",
    fresh,
    accepted,
    staysOpen({ ...fresh, upstreamId: "ord_upstream" }),
  ],
  [
    "an acceptance takes back a refusal that was not believed",
    doubted,
    accepted,
    staysOpen({ ...doubtful, upstreamId: "ord_upstream" }),
  ],
  ["a lost answer leaves a doubt", fresh, lost, staysOpen(doubtful)],
  ["a lost answer forgets nothing", doubted, lost, staysOpen(doubted)],
];

const LOOKED_UP: [string, Known, LookUpOutcome, object][] = [
  ["what was found is bought", doubted, code, { kind: "bought", answer: code }],
  [
    "a refusal of what the supplier knows is final",
    doubtful,
    no,
    { kind: "refused", failureCode: "rejected_by_issuer" },
  ],
  ["what is not found may still be on its way", fresh, notFound, staysOpen(fresh)],
  ["what is not found in time is sent again", { ...fresh, ...sentLongAgo }, notFound, { kind: "send-again" }],
  [
    "with a doubt too, under the same reference",
    { ...doubtful, ...sentLongAgo },
    notFound,
    { kind: "send-again" },
  ],
  [
    "a refusal is believed when the purchase is not found in time either",
    { ...doubted, ...sentLongAgo },
    notFound,
    { kind: "refused", failureCode: "out_of_stock" },
  ],
  [
    "a moment before it is not",
    { ...doubted, lastSentAt: at(1 - limits.resendDelayMs) },
    notFound,
    staysOpen(doubted),
  ],
  [
    "what was never sent for sure is given the whole time",
    { ...fresh, lastSentAt: null },
    notFound,
    staysOpen(fresh),
  ],
  [
    "what is still under way stays open",
    doubtful,
    accepted,
    staysOpen({ ...doubtful, upstreamId: "ord_upstream" }),
  ],
  ["a look-up that is lost leaves a doubt as well", fresh, lost, staysOpen(doubtful)],
];

const withoutTime = (judged: Judgement | SendAgain): object => {
  if (judged.kind !== "open") return judged;
  const { dueAt: _dueAt, ...rest } = judged;
  return rest;
};

for (const [what, known, answer, judged] of SENT)
  test(`sent: ${what}`, () => assert.deepEqual(withoutTime(judgeSent(known, answer, NOW, limits)), judged));
for (const [what, known, answer, judged] of LOOKED_UP)
  test(`looked up: ${what}`, () =>
    assert.deepEqual(withoutTime(judgeLookedUp(known, answer, NOW, limits)), judged));

test("what stays open is looked at again when it can be decided, else after a pause that doubles up to the longest", () => {
  const dueMs = (judged: Judgement | SendAgain): number => {
    assert.ok(judged.kind === "open");
    return judged.dueAt.getTime() - NOW.getTime();
  };
  assert.equal(dueMs(judgeSent(doubtful, no, NOW, limits)), limits.resendDelayMs);
  const sentBefore = { ...doubted, lastSentAt: at(-10_000) };
  assert.equal(dueMs(judgeLookedUp(sentBefore, notFound, NOW, limits)), limits.resendDelayMs - 10_000);
  for (let looks = 0; looks < 60; looks += 1) {
    const shortestMs = lookPauseMs(limits, looks, 0);
    assert.equal(shortestMs, Math.min(limits.lookFirstMs * 2 ** looks, limits.lookMaxMs));
    assert.equal(lookPauseMs(limits, looks, 1), shortestMs * 1.2);
    for (const answer of [lost, accepted]) {
      const pausesMs = [
        dueMs(judgeSent({ ...fresh, looks }, answer, NOW, limits)),
        dueMs(judgeLookedUp({ ...fresh, looks }, answer, NOW, limits)),
      ];
      for (const pauseMs of pausesMs)
        assert.ok(pauseMs >= Math.floor(shortestMs) && pauseMs <= shortestMs * 1.2, `${pauseMs} ms`);
    }
  }
});

const failureCode = fc.constantFrom(...FAILURE_CODES);
const knowns: fc.Arbitrary<Known> = fc.record({
  upstreamId: fc.option(fc.constant("ord_upstream")),
  doubtful: fc.boolean(),
  doubtedFailureCode: fc.option(failureCode),
  looks: fc.nat({ max: 50 }),
  lastSentAt: fc.option(fc.integer({ min: -120_000, max: 0 }).map(at)),
});
const answers: fc.Arbitrary<PurchaseOutcome> = fc.oneof(
  fc.string().map((text) => sold(text)),
  fc.record({ kind: fc.constant("accepted" as const), upstreamId: fc.string() }),
  fc.record({ kind: fc.constant("refused" as const), failureCode, supplierFault: fc.boolean() }),
  fc.record({ kind: fc.constant("unknown" as const), reason: fc.string() }),
  fc.constant<PurchaseOutcome>({
    kind: "delivered",
    goods: secret({ type: "topup", receipt: "R" }),
    upstreamId: "up",
  }),
);
const RUNS = { seed: SEED, numRuns: 2_000 };

test(`only a definitive no is a refusal, and no doubtful one (SEED=${SEED})`, () => {
  fc.assert(
    fc.property(knowns, answers, (known, answer) => {
      const sent = judgeSent(known, answer, NOW, limits);
      assert.equal(sent.kind === "refused", answer.kind === "refused" && !known.doubtful);
      assert.equal(sent.kind === "bought", answer.kind === "delivered");
      const found = judgeLookedUp(known, answer, NOW, limits);
      assert.equal(found.kind === "refused", answer.kind === "refused");
      assert.equal(found.kind === "bought", answer.kind === "delivered");
      assert.notEqual(found.kind, "send-again");
    }),
    RUNS,
  );
});

test("a doubt stays until the end, the supplier's id is never forgotten, and the next look lies ahead", () => {
  fc.assert(
    fc.property(knowns, fc.oneof(answers, fc.constant(notFound)), (known, answer) => {
      const judged = [judgeLookedUp(known, answer, NOW, limits)];
      if (answer.kind !== "not_found") judged.push(judgeSent(known, answer, NOW, limits));
      for (const one of judged) {
        if (one.kind !== "open") continue;
        assert.ok(one.doubtful || !known.doubtful);
        assert.ok(one.upstreamId !== null || known.upstreamId === null);
        assert.ok(one.dueAt > NOW);
      }
    }),
    RUNS,
  );
});

test("nothing is sent again or refused as not found before it has had time to arrive", () => {
  fc.assert(
    fc.property(knowns, (known) => {
      const judged = judgeLookedUp(known, notFound, NOW, limits);
      const sentMs = (known.lastSentAt ?? NOW).getTime();
      assert.equal(judged.kind === "open", sentMs + limits.resendDelayMs > NOW.getTime());
      if (judged.kind === "refused") assert.equal(judged.failureCode, known.doubtedFailureCode);
      if (judged.kind === "send-again") assert.equal(known.doubtedFailureCode, null);
    }),
    RUNS,
  );
});
