import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newId } from "../../../testing/builders/new-id.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import { SEED } from "../../../testing/seed.ts";
import { secret } from "../../lib/secret.ts";
import { FAILURE_CODES } from "../../suppliers/supplier.ts";
import type { UnitKey } from "../../vault/code-place.ts";
import type { Route } from "../take/order-work.ts";
import {
  attemptText,
  decideSettlement,
  type Settlement,
  type SettlementState,
  stockText,
  type UnitOutcome,
  unitText,
} from "./decide-settlement.ts";

const NOW = new Date("2030-01-02T03:04:05.678Z");
const LATER = new Date(NOW.getTime() + 60_000);
const SUPPLIERS = ["sup_a", "sup_b"];
/** Few enough that outcomes of one settlement often come with the same one. */
const CODES = ["code 1", "code 2", "code 3", "code 4"];

const UNITS: readonly UnitKey[] = ["ord_a", "ord_b"].flatMap((orderId) =>
  [0, 1].flatMap((lineIndex) => [0, 1, 2].map((unitIndex) => ({ orderId, lineIndex, unitIndex }))),
);
const productOf = ({ lineIndex }: UnitKey): string => `product ${lineIndex}`;
const digestOf = (code: string): Buffer => Buffer.from(code.padEnd(32, "."));

const routeTo = (supplierId: string, productId: string): Route => ({
  productId,
  supplierId,
  hasOwnStock: true,
  sku: productId,
  value: null,
  fieldMap: null,
  costMinor: 5n,
  maxCostMinor: null,
  costCurrency: "USD",
  paused: false,
  chosen: "priority",
});

const failureCode = fc.constantFrom(...FAILURE_CODES);
const number = fc.integer({ min: 1, max: 2 });

const outcomeOf = (unit: UnitKey): fc.Arbitrary<UnitOutcome> => {
  const about = { unit: fc.constant(unit), productId: fc.constant(productOf(unit)) };
  const supplierId = fc.constantFrom(...SUPPLIERS);
  const kind = <Kind extends UnitOutcome["kind"]>(name: Kind) => fc.constant(name);
  const bought = fc
    .record({ supplierId, number, code: fc.option(fc.constantFrom(...CODES), { freq: 8 }) })
    .map(({ code, ...rest }) => ({
      ...rest,
      kind: "bought" as const,
      unit,
      productId: productOf(unit),
      upstreamId: "upstream",
      goods: secret(
        code === null ? { type: "topup" as const, receipt: "receipt" } : { type: "code" as const, code },
      ),
      digest: code === null ? null : digestOf(code),
    }));
  const notes = {
    upstreamId: fc.option(fc.constant("upstream")),
    doubtful: fc.boolean(),
    doubtedFailureCode: fc.option(failureCode),
    notFoundLooks: fc.nat({ max: 9 }),
    notFoundSince: fc.option(fc.constant(NOW)),
    notFoundState: fc.constant(null),
  };
  return fc.oneof(
    { weight: 3, arbitrary: bought },
    {
      weight: 3,
      arbitrary: supplierId.chain((id) =>
        fc.record({
          ...about,
          kind: kind("take-stock"),
          number,
          route: fc.constant(routeTo(id, productOf(unit))),
        }),
      ),
    },
    fc.record({ ...about, kind: kind("test-code"), code: fc.constant("TEST-1"), type: fc.constant("code") }),
    fc.record({ ...about, kind: kind("refused"), number, failureCode }),
    fc.record({ ...about, kind: kind("open"), number, dueAt: fc.constant(LATER), ...notes }),
    fc.record({
      ...{ ...about, ...notes, supplierId, number },
      kind: kind("not-made"),
      isConfirmed: fc.boolean(),
      dueAt: fc.constant(LATER),
    }),
    fc.record({ ...about, kind: kind("wait"), until: fc.constant(LATER) }),
    fc.record({ ...about, kind: kind("give-up"), failureCode }),
  );
};

/** One outcome for each of some units, in any order. */
const outcomes = fc
  .shuffledSubarray([...UNITS], { minLength: 1 })
  .chain((units) => fc.tuple(...units.map(outcomeOf)));

const states: fc.Arbitrary<SettlementState> = fc
  .record({
    waiting: fc.subarray([...UNITS], { minLength: 4 }),
    open: fc.tuple(
      ...UNITS.map((unit) =>
        fc.option(
          number.map((one) => attemptText(unit, one)),
          { freq: 4 },
        ),
      ),
    ),
    entered: fc.subarray([...UNITS]),
    notMade: fc.subarray(UNITS.flatMap((unit) => [1, 2].map((one) => attemptText(unit, one)))),
    room: fc.tuple(...SUPPLIERS.map(() => fc.nat({ max: 2 }))),
    stock: fc.tuple(...Array.from({ length: 4 }, () => fc.nat({ max: 3 }))),
    known: fc.subarray(CODES, { maxLength: 2 }),
  })
  .map(({ entered, ...state }) => ({
    ...state,
    // A unit whose code was entered does not wait, and has no open purchase.
    entered: entered
      .filter((unit) => !state.waiting.includes(unit) && state.open[UNITS.indexOf(unit)] === null)
      .map((unit) => attemptText(unit, 1)),
  }))
  .map(({ waiting, open, entered, notMade, room, stock, known }) => ({
    waiting: new Set(waiting.map(unitText)),
    openAttempts: new Set(open.filter((one) => one !== null)),
    enteredAttempts: new Set(entered),
    notMade: new Set(notMade.filter((one) => !open.includes(one) && !entered.includes(one))),
    notMadeRoom: new Map(room.map((count, index) => [SUPPLIERS[index] ?? "", count])),
    picked: new Map(
      stock.map((count, index) => {
        const [product, supplier] = [`product ${index % 2}`, SUPPLIERS[index >> 1] ?? ""];
        return [
          stockText(product, supplier),
          Array.from({ length: count }, (_, code) => `cod_${index}_${code}`),
        ];
      }),
    ),
    knownDigests: new Set(known.map((code) => digestOf(code).toString("hex"))),
    now: NOW,
  }));

function promise(
  what: string,
  check: (state: SettlementState, all: UnitOutcome[], settled: Settlement) => void,
) {
  test(`${what} (SEED=${SEED})`, () => {
    fc.assert(
      fc.property(states, outcomes, (state, all) => check(state, all, decideSettlement(state, all, newId))),
      { seed: SEED, numRuns: sizeFor("fuzz", { share: 200, full: 5_000 }) },
    );
  });
}

const allDifferent = (texts: readonly string[]) => assert.deepEqual([...new Set(texts)], texts);
const delivered = ({ codesTaken, codesNew }: Settlement) => [
  ...codesTaken,
  ...codesNew.filter(({ quarantineReason }) => quarantineReason === null),
];
const boughtFor = (all: readonly UnitOutcome[], unit: UnitKey) => {
  const found = all.find((one) => unitText(one.unit) === unitText(unit));
  assert.ok(found?.kind === "bought");
  return found;
};

const isEntered = (state: SettlementState, all: readonly UnitOutcome[], unit: UnitKey): boolean =>
  state.enteredAttempts.has(attemptText(unit, boughtFor(all, unit).number));

promise(
  "each picked code is handed out at most once, to a unit of its product and supplier",
  (state, all, settled) => {
    allDifferent(settled.codesTaken.map(({ id }) => id));
    for (const { id, ...unit } of settled.codesTaken) {
      const wish = all.find((one) => unitText(one.unit) === unitText(unit));
      assert.ok(wish?.kind === "take-stock");
      assert.ok(state.picked.get(stockText(wish.productId, wish.route.supplierId))?.includes(id));
    }
  },
);

promise("a unit gets at most one code, and only while it waits", (state, _all, settled) => {
  allDifferent(delivered(settled).map(unitText));
  for (const unit of delivered(settled)) assert.ok(state.waiting.has(unitText(unit)));
});

promise(
  "a unit that waits is ended or looked at again; one that does not is left alone",
  (state, all, settled) => {
    const [ended, later] = [settled.unitsEnded.map(unitText), settled.unitsLater.map(unitText)];
    allDifferent([...ended, ...later]);
    for (const text of [...ended, ...later]) assert.ok(state.waiting.has(text));
    for (const one of all) {
      const isStale =
        "number" in one &&
        one.kind !== "take-stock" &&
        !state.openAttempts.has(attemptText(one.unit, one.number));
      const isSettled = [...ended, ...later].includes(unitText(one.unit));
      assert.equal(isSettled, state.waiting.has(unitText(one.unit)) && !isStale);
    }
  },
);

promise(
  "a unit ends delivered exactly when it has a code, and else with a reason",
  (_state, _all, settled) => {
    const withCode = new Set(delivered(settled).map(unitText));
    for (const unit of settled.unitsEnded)
      assert.equal(unit.failureCode === null, withCode.has(unitText(unit)));
    assert.equal(withCode.size, settled.unitsEnded.filter((unit) => unit.failureCode === null).length);
  },
);

promise("a code that is known, or came earlier in the batch, goes to quarantine", (state, all, settled) => {
  const seen = new Set(state.knownDigests);
  for (const code of settled.codesNew) {
    if ("test" in code.content) continue;
    const digest = boughtFor(all, code).digest?.toString("hex");
    const isKnown = digest !== undefined && seen.has(digest);
    const { number } = boughtFor(all, code);
    const isLate = !state.waiting.has(unitText(code)) || state.notMade.has(attemptText(code, number));
    assert.equal(code.quarantineReason, isKnown ? "duplicate" : isLate ? "late" : null);
    if (digest !== undefined) seen.add(digest);
  }
});

promise(
  "an attempt that has ended is left alone; one that is open, or counts as not made, keeps what was bought",
  (state, all, settled) => {
    const { attemptsEnded, attemptsOpen, attemptsNotMade } = settled;
    const touched = [...attemptsEnded, ...attemptsOpen, ...attemptsNotMade].map((one) =>
      attemptText(one, one.number),
    );
    allDifferent(touched);
    const told = all.flatMap((one) => {
      if (!["bought", "refused", "open", "not-made"].includes(one.kind) || !("number" in one)) return [];
      const text = attemptText(one.unit, one.number ?? 0);
      // What was written off in the meantime is followed by itself.
      const isWrittenOff = state.openAttempts.has(text) && !state.waiting.has(unitText(one.unit));
      return one.kind === "not-made" && isWrittenOff ? [] : [text];
    });
    const isFollowed = (text: string): boolean => state.openAttempts.has(text) || state.notMade.has(text);
    assert.deepEqual(touched.sort(), told.filter(isFollowed).sort());
    for (const one of settled.attemptsEnded) assert.equal(one.status === "refused", one.failureCode !== null);
    const bought = settled.attemptsEnded.filter(({ status }) => status !== "refused");
    assert.deepEqual(
      bought.map(unitText).sort(),
      settled.codesNew
        .filter((code) => "goods" in code.content && !isEntered(state, all, code))
        .map(unitText)
        .sort(),
    );
  },
);

promise(
  "what a supplier sends after its code was entered goes to quarantine and ends nothing",
  (state, all, settled) => {
    for (const one of all) {
      if (!("number" in one) || !state.enteredAttempts.has(attemptText(one.unit, one.number ?? 0))) continue;
      const ofUnit = (unit: UnitKey) => unitText(unit) === unitText(one.unit);
      assert.equal(settled.codesNew.filter(ofUnit).length, one.kind === "bought" ? 1 : 0);
      assert.ok(settled.codesNew.filter(ofUnit).every(({ quarantineReason }) => quarantineReason !== null));
      const { attemptsEnded, attemptsOpen, unitsEnded, unitsLater } = settled;
      assert.ok(![...attemptsEnded, ...attemptsOpen, ...unitsEnded, ...unitsLater].some(ofUnit));
    }
  },
);

promise(
  "only so many purchases of a supplier count as not made; the others stay open and wait for a person",
  (state, all, settled) => {
    const asked = all.flatMap((one) => (one.kind === "not-made" ? [one] : []));
    const ends = (one: (typeof asked)[number]): boolean =>
      settled.attemptsNotMade.some(
        (made) => attemptText(made, made.number) === attemptText(one.unit, one.number),
      );
    for (const [supplierId, room] of state.notMadeRoom) {
      const open = asked.filter(
        (one) =>
          one.supplierId === supplierId &&
          state.openAttempts.has(attemptText(one.unit, one.number)) &&
          state.waiting.has(unitText(one.unit)),
      );
      let left = room;
      for (const one of open) {
        assert.equal(ends(one), one.isConfirmed || left > 0);
        if (ends(one)) left -= 1;
        const held = settled.attemptsOpen.find((other) => unitText(other) === unitText(one.unit));
        assert.equal(held?.notFoundState, ends(one) ? undefined : "too_many");
        const due = settled.unitsLater.find((unit) => unitText(unit) === unitText(one.unit))?.dueAt;
        assert.deepEqual(due, ends(one) ? state.now : one.dueAt);
      }
    }
  },
);

promise("a worker without its lease ends no purchase", (state, all, settled) => {
  const late = all.map((one) => (one.kind === "bought" ? { ...one, isLate: true as const } : one));
  const { attemptsEnded, codesNew } = decideSettlement(state, late, newId);
  assert.ok(attemptsEnded.every(({ status }) => status === "refused"));
  const kept = codesNew.filter((code) => "goods" in code.content).map(unitText);
  const entered = settled.codesNew.filter((code) => "goods" in code.content && isEntered(state, all, code));
  assert.deepEqual(kept, entered.map(unitText));
});

promise("where stock is short the attempt says so and the unit goes on at once", (state, _all, settled) => {
  const taken = new Set(settled.codesTaken.map(unitText));
  for (const tried of settled.attemptsNew) {
    assert.equal(tried.failureCode, taken.has(unitText(tried)) ? null : "out_of_stock");
    if (taken.has(unitText(tried))) continue;
    assert.deepEqual(settled.unitsLater.find((unit) => unitText(unit) === unitText(tried))?.dueAt, state.now);
    const key = stockText(tried.productId, tried.route.supplierId);
    const handedOut = settled.codesTaken.filter(({ id }) => state.picked.get(key)?.includes(id));
    assert.equal(handedOut.length, state.picked.get(key)?.length ?? 0);
  }
});

promise(
  "the same state and outcomes settle the same way, and are left as they were",
  (state, all, settled) => {
    const withoutIds = ({ codesNew, ...rest }: Settlement) => ({
      ...rest,
      codesNew: codesNew.map(({ id: _id, ...code }) => code),
    });
    assert.deepEqual(withoutIds(decideSettlement(state, all, newId)), withoutIds(settled));
  },
);
