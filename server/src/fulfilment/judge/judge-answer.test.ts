import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../../../testing/seed.ts";
import { accepted, lost, notFound, refused, sold } from "../../../testing/upstream/scripted-supplier.ts";
import { secret } from "../../lib/secret.ts";
import type { NotFoundRule } from "../../suppliers/look-ups/not-found-rule.ts";
import { FAILURE_CODES, type LookUpOutcome, type PurchaseOutcome } from "../../suppliers/supplier.ts";
import { FULFILMENT_LIMITS, lookPauseMs } from "../limits.ts";
import {
  type Judgement,
  judgeFound,
  judgeNotFound,
  judgeSent,
  type Search,
  type SendAgain,
} from "./judge-answer.ts";

const NOW = new Date("2030-01-02T03:04:05.678Z");
const limits = FULFILMENT_LIMITS;
const at = (ms: number): Date => new Date(NOW.getTime() + ms);

const RULE: NotFoundRule = { times: 3, overMs: 10 * 60_000, resendAfterMs: 30_000, perHour: 5 };
const searched: Search = { askedAt: NOW, books: "agree", rule: RULE };

type Known = Parameters<typeof judgeSent>[0];
const fresh: Known = {
  upstreamId: null,
  doubtful: false,
  doubtedFailureCode: null,
  notFoundLooks: 0,
  notFoundSince: null,
  notFoundState: null,
  looks: 0,
  lastSentAt: NOW,
};
const doubtful: Known = { ...fresh, doubtful: true };
const doubted: Known = { ...doubtful, doubtedFailureCode: "out_of_stock" };
const sentLongAgo = { lastSentAt: at(-RULE.resendAfterMs) };
const onceNotFound = { notFoundLooks: 1, notFoundSince: NOW, notFoundState: null };
const lookedUp = (known: Known, answer: LookUpOutcome, search = searched): Judgement | SendAgain =>
  answer.kind === "not_found"
    ? judgeNotFound(known, search, NOW, limits)
    : judgeFound(known, answer, NOW, limits);
const code = sold("A-1");
const no = refused("rejected_by_issuer");

/** What is remembered of an attempt that stays open, without when it is looked at next. */
const staysOpen = ({ looks: _looks, lastSentAt: _lastSentAt, ...notes }: Known) => ({
  kind: "open",
  ...notes,
});
const isSentAgain = (known: Known) => ({ ...staysOpen(known), ...onceNotFound, kind: "send-again" });

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
  ["what is not found in time is sent again", { ...fresh, ...sentLongAgo }, notFound, isSentAgain(fresh)],
  [
    "with a doubt too, under the same reference",
    { ...doubtful, ...sentLongAgo },
    notFound,
    isSentAgain(doubtful),
  ],
  [
    "a refusal is believed when the purchase is not found in time either",
    { ...doubted, ...sentLongAgo },
    notFound,
    { kind: "refused", failureCode: "out_of_stock" },
  ],
  [
    "a moment before it is not",
    { ...doubted, lastSentAt: at(1 - limits.arrivalMs) },
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
  test(`looked up: ${what}`, () => assert.deepEqual(withoutTime(lookedUp(known, answer)), judged));

test("what stays open is looked at again when it can be decided, else after a pause that doubles up to the longest", () => {
  const dueMs = (judged: Judgement | SendAgain): number => {
    assert.ok(judged.kind === "open");
    return judged.dueAt.getTime() - NOW.getTime();
  };
  assert.equal(dueMs(judgeSent(doubtful, no, NOW, limits)), limits.arrivalMs);
  const sentBefore = { ...doubted, looks: 10, lastSentAt: at(-10_000) };
  assert.equal(dueMs(lookedUp(sentBefore, notFound)), RULE.resendAfterMs - 10_000);
  for (let looks = 0; looks < 60; looks += 1) {
    const shortestMs = lookPauseMs(limits, looks, 0);
    assert.equal(shortestMs, Math.min(limits.lookFirstMs * 2 ** looks, limits.lookMaxMs));
    assert.equal(lookPauseMs(limits, looks, 1), shortestMs * 1.2);
    for (const answer of [lost, accepted]) {
      const pausesMs = [
        dueMs(judgeSent({ ...fresh, looks }, answer, NOW, limits)),
        dueMs(lookedUp({ ...fresh, looks }, answer)),
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
  notFoundLooks: fc.nat({ max: 6 }),
  notFoundSince: fc.option(fc.integer({ min: -1_200_000, max: 0 }).map(at)),
  notFoundState: fc.option(fc.constantFrom("books_differ", "too_many", "confirmed")),
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
      const found = lookedUp(known, answer);
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
      const judged = [lookedUp(known, answer)];
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

const searches: fc.Arbitrary<Search> = fc.record({
  askedAt: fc.integer({ min: -15_000, max: 0 }).map(at),
  books: fc.constantFrom("agree", "differ", "unread"),
  rule: fc.record({
    times: fc.integer({ min: 1, max: 6 }),
    overMs: fc.integer({ min: 60_000, max: 900_000 }),
    resendAfterMs: fc.integer({ min: 0, max: 120_000 }),
    perHour: fc.constant(5),
  }),
});

test(`a purchase that is not found is sent again, refused or not made only after the lag and with books that agree (SEED=${SEED})`, () => {
  fc.assert(
    fc.property(knowns, searches, (known, search) => {
      const { askedAt, books, rule } = search;
      const judged = judgeNotFound(known, search, NOW, limits);
      if (judged.kind === "open") {
        assert.ok(judged.dueAt > NOW);
        return;
      }
      const sentAt = known.lastSentAt ?? NOW;
      assert.ok(askedAt.getTime() >= sentAt.getTime() + rule.resendAfterMs);
      assert.notEqual(books, "unread");
      assert.equal(books === "agree" || known.notFoundState === "confirmed", true);
      assert.ok(known.notFoundState !== "too_many");
      if (judged.kind === "refused") assert.equal(judged.failureCode, known.doubtedFailureCode);
      if (judged.kind === "send-again" || (judged.kind === "not-made" && !judged.isConfirmed)) {
        assert.equal(known.doubtedFailureCode, null);
        const since = known.notFoundSince ?? askedAt;
        const isEnough =
          known.notFoundLooks + 1 >= rule.times && askedAt.getTime() - since.getTime() >= rule.overMs;
        assert.equal(judged.kind === "not-made", isEnough);
      }
    }),
    RUNS,
  );
});

const NOT_FOUND: [string, Partial<Known>, Partial<Search>, object][] = [
  [
    "enough look-ups over enough time: it was never made",
    { notFoundLooks: 2, notFoundSince: at(-RULE.overMs) },
    {},
    { kind: "not-made", isConfirmed: false, notFoundLooks: 3 },
  ],
  [
    "a moment before the time is over it is sent again",
    { notFoundLooks: 9, notFoundSince: at(1 - RULE.overMs) },
    {},
    { kind: "send-again", notFoundLooks: 10 },
  ],
  [
    "one look-up too few, and it is sent again",
    { notFoundLooks: 1, notFoundSince: at(-RULE.overMs) },
    {},
    { kind: "send-again", notFoundLooks: 2 },
  ],
  [
    "a look-up that was asked before the lag was over does not count, however late its answer came",
    { notFoundLooks: 9, notFoundSince: at(-RULE.overMs) },
    { askedAt: at(-1) },
    { kind: "open", notFoundLooks: 9, notFoundState: null },
  ],
  [
    "books that lack a delivered purchase too wait for a person, and nothing is counted or sent",
    { notFoundLooks: 9, notFoundSince: at(-RULE.overMs) },
    { books: "differ" },
    { kind: "open", notFoundLooks: 9, notFoundState: "books_differ" },
  ],
  [
    "books that agree again go on where they were",
    { notFoundLooks: 1, notFoundSince: at(-60_000), notFoundState: "books_differ" },
    {},
    { kind: "send-again", notFoundLooks: 2, notFoundState: null },
  ],
  [
    "books that could not be read count for nothing",
    { notFoundLooks: 9, notFoundSince: at(-RULE.overMs) },
    { books: "unread" },
    { kind: "open", notFoundLooks: 9, notFoundState: null },
  ],
  [
    "one of too many waits for a person, however often it is not found",
    { notFoundLooks: 9, notFoundSince: at(-RULE.overMs), notFoundState: "too_many" },
    {},
    { kind: "open", notFoundLooks: 9, notFoundState: "too_many" },
  ],
  [
    "what a person has confirmed counts once it is not found again",
    { notFoundState: "confirmed" },
    { books: "differ" },
    { kind: "not-made", isConfirmed: true },
  ],
  [
    "but not before the lag is over",
    { notFoundState: "confirmed" },
    { askedAt: at(-1) },
    { kind: "open", notFoundState: "confirmed" },
  ],
];
for (const [what, known, search, judged] of NOT_FOUND)
  test(`not found: ${what}`, () => {
    const got = judgeNotFound(
      { ...fresh, ...sentLongAgo, ...known },
      { ...searched, ...search },
      NOW,
      limits,
    );
    assert.deepEqual({ ...got, ...judged }, got);
  });

test("the next look-up comes when the lag is over and when the rule can be met, however long the pauses are", () => {
  const known = { ...fresh, looks: 20, notFoundLooks: 1, notFoundSince: at(-RULE.overMs + 5_000) };
  const dueMs = (judged: Judgement | SendAgain): number =>
    judged.kind === "open" ? judged.dueAt.getTime() - NOW.getTime() : Number.NaN;
  const fresher = { ...fresh, looks: 20, lastSentAt: at(-29_000) };
  assert.equal(dueMs(judgeNotFound(fresher, searched, NOW, limits)), 1_000);
  // Later ones are sent again after longer and longer pauses, not as soon as the lag allows it.
  assert.equal(dueMs(judgeSent({ ...known, lastSentAt: at(-29_000) }, lost, NOW, limits, RULE)), 5_000);
  assert.equal(dueMs(judgeSent({ ...known, lastSentAt: at(-20_000) }, lost, NOW, limits, RULE)), 10_000);
  assert.equal(dueMs(judgeSent({ ...known, ...sentLongAgo }, lost, NOW, limits, RULE)), 5_000);
  // An even share of the time, if nothing else is due.
  const shareMs = dueMs(judgeSent({ ...fresh, looks: 20, ...sentLongAgo }, lost, NOW, limits, RULE));
  assert.equal(shareMs, RULE.overMs / RULE.times);
});

test("a supplier that knows the purchase after all starts the count again", () => {
  const known = { ...fresh, ...onceNotFound };
  assert.deepEqual(
    withoutTime(lookedUp(known, accepted)),
    staysOpen({ ...fresh, upstreamId: "ord_upstream" }),
  );
  assert.deepEqual(withoutTime(lookedUp(known, lost)), staysOpen({ ...known, doubtful: true }));
});
