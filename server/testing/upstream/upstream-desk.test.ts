import assert from "node:assert/strict";
import { test } from "node:test";
import { sizeFor } from "../full-size.ts";
import { createRandom, SEED } from "../seed.ts";
import { type Answer, type CallRecord, createDesk, type Desk } from "./upstream-desk.ts";
import type { Call } from "./upstream-dialect.ts";
import { type FaultKind, UPSTREAM_FAULTS } from "./upstream-faults.ts";
import { codeOf, statusOf } from "./upstream-ledger.ts";
import {
  ALL_FAULTS,
  describeFaults,
  FAULTY_CALLS_MAX,
  type FaultWeights,
  planUnit,
} from "./upstream-plan.ts";

const KINDS = Object.keys(UPSTREAM_FAULTS) as FaultKind[];
/** Enough for every kind of fault to be drawn. */
const ACCOUNTS = 600;
const COMPARED_ACCOUNTS = sizeFor("fuzz", { share: 150, full: 600 });
const NOISE = 0.3;

test("every order ends, and its end is the truth, for any faults", () => {
  for (const noise of [0, NOISE]) {
    const { desk, ends } = sell({ seed: SEED, noise, runId: "a" });
    const kinds = new Set(desk.plans().map(({ plan }) => plan.kind));
    assert.deepEqual([...kinds].sort(), [...KINDS].sort(), `seed ${SEED}: every kind was drawn`);
    for (const [account, end] of ends) {
      const truth = desk.ledger
        .list()
        .filter((purchase) => purchase.account === account)
        .map((purchase) => (purchase.goods ? codeOf(purchase.goods) : statusOf(purchase)));
      const expected = end.startsWith("refused") ? [] : [end];
      assert.deepEqual(truth, expected, `seed ${SEED}\n${describe(account, noise)}`);
    }
  }
});

test("a seed gives an account the same faults, regardless of other accounts and order ids", () => {
  const one = sell({ seed: SEED, noise: NOISE, accounts: COMPARED_ACCOUNTS, runId: "a" });
  const other = sell({ seed: SEED, noise: NOISE, accounts: COMPARED_ACCOUNTS, runId: "b" });
  assert.notDeepEqual(
    one.desk.calls.map(({ account }) => account),
    other.desk.calls.map(({ account }) => account),
  );
  for (const account of one.ends.keys()) {
    assert.deepEqual(
      transcript(one.desk, account),
      transcript(other.desk, account),
      `seed ${SEED}\n${describe(account, NOISE)}`,
    );
  }
  const another = sell({ seed: SEED + 1, noise: NOISE, accounts: COMPARED_ACCOUNTS, runId: "a" });
  const accounts = [...one.ends.keys()];
  assert.ok(accounts.some((account) => transcript(one.desk, account) !== transcript(another.desk, account)));
});

test("no kind of fault lasts longer than allowed", () => {
  for (let seed = 0; seed < 3_000; seed += 1) {
    const { steps } = planUnit(seed, { account: "acct", sku: "sku", unit: "0.0.1" });
    const faulty = Object.values(steps).flat().length;
    assert.ok(faulty <= FAULTY_CALLS_MAX, `seed ${seed}: ${faulty} faulty calls`);
  }
});

test("noise affects each call independently", () => {
  const options = { faults: { "completes-at-once": 1 }, noise: 0.5 };
  const patterns = Array.from({ length: 50 }, (_, index) => {
    const plan = planUnit(SEED, { account: `acct-${index}`, sku: "sku", unit: "0.0.1" }, options);
    return Object.values(plan.steps).map((steps) => steps.map(({ mishap }) => mishap !== "none").join(" "));
  });
  const all = patterns.flat().join(" ").split(" ");
  const share = all.filter((struck) => struck === "true").length / all.length;
  assert.ok(share > 0.4 && share < 0.6, `seed ${SEED}: ${share}`);
  assert.ok(new Set(patterns.flat()).size > 150, `seed ${SEED}: all calls of an account are affected alike`);
});

test("what lands late is found by looking only, after it was not found", () => {
  const { answer } = createDesk({ seed: SEED, faults: { "lands-late": 1 }, scheduleLanding: () => {} });
  const reference = "ord_a.0.0.1";
  answer({ verb: "place", demand: { account: "acct", reference, sku: "sku", unit: "0.0.1" } });
  const found = [1, 2, 3].map(() => read(answer({ verb: "list", reference })).body?.data?.length);
  assert.deepEqual([found[0], found[2]], [0, 1]);
});

test("plans that repeat a code sell the same one, and the truth shows which were repeats", () => {
  const { desk, ends } = sell({ seed: SEED, faults: { "repeats-code": 1 }, accounts: 9 });
  assert.equal(new Set(ends.values()).size, 1);
  const [first, ...others] = desk.ledger.list().toSorted((a, b) => Number(a.repeated) - Number(b.repeated));
  assert.equal(first?.repeated, false);
  assert.ok(others.length === 8 && others.every(({ repeated }) => repeated));
});

test("the weights decide how often a kind is drawn, not the order in which they are written", () => {
  const draw = (faults: FaultWeights) =>
    Array.from(
      { length: 4_000 },
      (_, index) => planUnit(SEED, { account: `acct-${index}`, sku: "sku", unit: "0.0.1" }, { faults }).kind,
    );
  const kinds = draw({ refuses: 1, "answer-lost": 3, drips: 0 });
  assert.deepEqual(kinds, draw({ drips: 0, "answer-lost": 3, refuses: 1 }));
  const lost = kinds.filter((kind) => kind === "answer-lost").length;
  assert.ok(lost > 2_800 && lost < 3_200, `seed ${SEED}: ${lost} of 4000`);
  assert.ok(kinds.every((kind) => kind === "answer-lost" || kind === "refuses"));
});

test("describeFaults shows the plan that the account will meet", () => {
  const options = { sku: "sku", faults: { "refused-then-lands": 1 } };
  assert.match(
    describeFaults(7, "acct-1", { ...options, units: ["0.0.1"] }),
    /^acct-1 sku 0\.0\.1: refused-then-lands\n {2}course: .*completed\n {2}place: hold unheard, refuse unheard$/,
  );
  const [kind] = /0\.0\.2: (\S+)/.exec(describeFaults(SEED, "acct-1", { sku: "sku" }))?.slice(1) ?? [];
  assert.equal(kind, planUnit(SEED, { account: "acct-1", sku: "sku", unit: "0.0.2" }).kind);
});

type Sale = { desk: Desk; ends: Map<string, string> };

/** Buys a unit for each account, all concurrently, in an order that depends on the run's name. */
function sell(input: {
  seed: number;
  noise?: number;
  faults?: FaultWeights;
  accounts?: number;
  runId?: string;
}): Sale {
  const { seed, noise = 0, faults = ALL_FAULTS, accounts = ACCOUNTS, runId = "a" } = input;
  const random = createRandom(seed + (runId.codePointAt(0) ?? 0));
  // A request that is held back never lands by time here. Only the calls decide.
  const desk = createDesk({ seed, noise, faults, scheduleLanding: () => {} });
  const ends = new Map<string, string>();
  let buyers = Array.from({ length: accounts }, (_, index) => {
    const account = `acct-${index}`;
    return {
      account,
      moves: buy(account, `ord_${runId}${index}.0.0.1`),
      answer: undefined as Answer | undefined,
    };
  });
  while (buyers.length > 0) {
    const buyer = random.pick(buyers);
    // The first call of a generator takes no argument.
    const move = buyer.moves.next(buyer.answer as Answer);
    if (move.done) {
      ends.set(buyer.account, move.value);
      buyers = buyers.filter((one) => one !== buyer);
    } else {
      buyer.answer = desk.answer(move.value);
    }
  }
  return { desk, ends };
}

const ROUNDS_MAX = 20;
const UNREAD = ["reset", "cut", "late", "hang", "drip", "hold"];

/** A buyer that believes only what is certain, and asks again until it knows. */
function* buy(account: string, reference: string): Generator<Call, string, Answer> {
  const demand = { account, reference, note: reference, sku: "sku", unit: "0.0.1", inputFields: { account } };
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const placed = read(yield { verb: "place", demand });
    const page = read(yield { verb: "list", reference });
    const isRefused = placed.status === 402 || placed.status === 404 || placed.status === 422;
    const isAbsent = page.status === 200 && Array.isArray(page.body?.data) && page.body.data.length === 0;
    if (isRefused && isAbsent) return `refused ${placed.body?.code}`;
    const order = page.body?.data?.[0];
    if (order?.reference !== reference || typeof order.id !== "string") continue;
    if (order.status === "refunded") return "refunded";
    if (order.status !== "completed") continue;
    const { body } = read(yield { verb: "codes", orderId: order.id });
    const code = body?.data?.length === 1 ? body.data[0]?.code : undefined;
    if (body?.orderId === order.id && typeof code === "string" && code !== "") return code;
  }
  return `no result after ${ROUNDS_MAX} rounds`;
}

type Body = {
  code?: string;
  orderId?: string;
  data?: { id?: string; reference?: string; status?: string; code?: string }[];
};

function read({ reply, step }: Answer): { status: number; body?: Body | null } {
  if (UNREAD.includes(step.mishap)) return { status: 0 };
  try {
    return { status: reply.status, body: JSON.parse(reply.text) };
  } catch {
    return { status: 0 };
  }
}

const transcript = ({ calls }: Desk, account: string): string =>
  calls
    .filter((call) => call.account === account)
    .map(({ verb, number, mishap, heard, status }: CallRecord) =>
      [number, verb, mishap, heard, status].join(" "),
    )
    .join("\n");

const describe = (account: string, noise: number): string =>
  describeFaults(SEED, account, { sku: "sku", units: ["0.0.1"], noise });
