import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../../../testing/seed.ts";
import { FAILURE_CODES, type FailureCode } from "../../suppliers/supplier.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";
import type { Attempt, Route } from "../take/order-work.ts";
import { type PlanInput, planUnit } from "./plan-unit.ts";

const CREATED = new Date("2030-01-02T03:04:05.678Z");
const limits = FULFILMENT_LIMITS;
const after = (ms: number): Date => new Date(CREATED.getTime() + ms);

const route = (supplierId: string, changes: Partial<Route> = {}): Route => ({
  productId: "card",
  supplierId,
  hasOwnStock: false,
  sku: `sku of ${supplierId}`,
  value: null,
  fieldMap: null,
  costMinor: null,
  maxCostMinor: null,
  costCurrency: null,
  paused: false,
  chosen: "priority",
  ...changes,
});

const attempt = (number: number, supplierId: string, changes: Partial<Attempt> = {}): Attempt => ({
  number,
  supplierId,
  sku: "sku",
  value: null,
  fieldMap: null,
  status: "refused",
  failureCode: "out_of_stock",
  upstreamId: null,
  doubtful: false,
  doubtedFailureCode: null,
  notFoundLooks: 0,
  notFoundSince: null,
  notFoundState: null,
  toldState: null,
  sends: 1,
  looks: 0,
  lastSentAt: CREATED,
  costMinor: null,
  maxCostMinor: null,
  costCurrency: null,
  priceMinor: null,
  priceCurrency: null,
  ...changes,
});
const open = { status: "open", failureCode: null } as const;
const saidNo = (number: number, supplierId: string, failureCode: FailureCode) =>
  attempt(number, supplierId, { failureCode });

const input = (changes: Partial<PlanInput> & { attempts?: Attempt[] }): PlanInput => ({
  environment: "live",
  createdAt: CREATED,
  scenario: null,
  allOrNothing: false,
  isDoomed: false,
  unit: { attempts: changes.attempts ?? [], isLast: false },
  routes: [],
  atLoss: [],
  now: CREATED,
  limits,
  ...changes,
});

const a = route("sup_a");
const b = route("sup_b");
const stock = route("sup_stock", { hasOwnStock: true });
const resting = route("sup_resting", { paused: true });

const PLANS: [string, PlanInput, object][] = [
  ["in the sandbox a code is made", input({ environment: "test", routes: [a] }), { kind: "make-test-code" }],
  ["the first route is bought from", input({ routes: [a, b] }), { kind: "buy", route: a, number: 1 }],
  [
    "a route at a loss is not used, and the unit is given up as unavailable for now",
    input({ atLoss: ["sup_a"], attempts: [saidNo(1, "sup_b", "out_of_stock")] }),
    { kind: "give-up", failureCode: "temporarily_unavailable", atLoss: true },
  ],
  [
    "a route that was tried does not count as a loss",
    input({ atLoss: ["sup_b"], attempts: [saidNo(1, "sup_b", "out_of_stock")] }),
    { kind: "give-up", failureCode: "out_of_stock" },
  ],
  ["stock is taken", input({ routes: [stock, a] }), { kind: "take-stock", route: stock, number: 1 }],
  [
    "a route that rests is passed over",
    input({ routes: [resting, a] }),
    { kind: "buy", route: a, number: 1 },
  ],
  [
    "after a no the next route follows, under the next number",
    input({ routes: [a, b], attempts: [saidNo(1, "sup_a", "out_of_stock")] }),
    { kind: "buy", route: b, number: 2 },
  ],
  [
    "a supplier that is no longer routed still counts as tried",
    input({ routes: [b], attempts: [saidNo(1, "sup_a", "out_of_stock")] }),
    { kind: "buy", route: b, number: 2 },
  ],
  [
    "an attempt without an outcome is looked up",
    input({ routes: [a, b], attempts: [attempt(1, "sup_a", open)] }),
    { kind: "look-up", attempt: attempt(1, "sup_a", open) },
  ],
  [
    "so is one of a supplier that has no route any more, however old",
    input({ now: after(limits.giveUpAfterMs * 10), attempts: [attempt(1, "sup_a", open)] }),
    { kind: "look-up", attempt: attempt(1, "sup_a", open) },
  ],
  [
    "a wrong account is given up though others could be asked",
    input({ routes: [a, b], attempts: [saidNo(1, "sup_a", "invalid_account")] }),
    { kind: "give-up", failureCode: "invalid_account" },
  ],
  [
    "while all that is left rests, it is waited for",
    input({ routes: [resting], now: after(limits.giveUpAfterMs - 1) }),
    { kind: "wait", until: after(limits.giveUpAfterMs - 1 + limits.lookFirstMs) },
  ],
  [
    "but not forever",
    input({ routes: [resting], now: after(limits.giveUpAfterMs) }),
    { kind: "give-up", failureCode: "temporarily_unavailable" },
  ],
  [
    "an old order still takes a route that is open",
    input({ routes: [resting, a], now: after(limits.giveUpAfterMs * 2) }),
    { kind: "buy", route: a, number: 1 },
  ],
  [
    "without any route it is given up",
    input({}),
    { kind: "give-up", failureCode: "temporarily_unavailable" },
  ],
  ...(
    [
      [["out_of_stock"], "out_of_stock"],
      [["temporarily_unavailable", "out_of_stock"], "out_of_stock"],
      [["out_of_stock", "temporarily_unavailable"], "out_of_stock"],
      [["rejected_by_issuer", "out_of_stock"], "rejected_by_issuer"],
      [["out_of_stock", "rejected_by_issuer"], "rejected_by_issuer"],
      [["temporarily_unavailable"], "temporarily_unavailable"],
    ] satisfies [FailureCode[], FailureCode][]
  ).map(([codes, told]): [string, PlanInput, object] => [
    `when all have said no (${codes.join(", ")}) the reseller reads ${told}`,
    input({
      routes: codes.map((_, index) => route(`sup_${index}`)),
      attempts: codes.map((code, index) => saidNo(index + 1, `sup_${index}`, code)),
    }),
    { kind: "give-up", failureCode: told },
  ]),
];

for (const [what, given, plan] of PLANS) test(what, () => assert.deepEqual(planUnit(given), plan));

const suppliers = fc.constantFrom("sup_a", "sup_b", "sup_c", "sup_d");
const attempts = fc
  .array(
    fc.record({
      supplierId: suppliers,
      status: fc.constantFrom("open", "refused", "refused", "refused"),
      failureCode: fc.constantFrom(...FAILURE_CODES),
    }),
    { maxLength: 5 },
  )
  .map((list) =>
    list.map(({ supplierId, status, failureCode }, index) =>
      attempt(index + 1, supplierId, status === "open" ? open : { failureCode }),
    ),
  );
const routes = fc.uniqueArray(
  fc
    .record({
      supplierId: suppliers,
      hasOwnStock: fc.boolean(),
      paused: fc.boolean(),
    })
    .map(({ supplierId, ...changes }) => route(supplierId, changes)),
  { selector: (one) => one.supplierId },
);
const inputs = fc
  .record({ attempts, routes, ageMs: fc.nat({ max: limits.giveUpAfterMs * 2 }) })
  .map((given) => input({ ...given, now: after(given.ageMs) }));
const RUNS = { seed: SEED, numRuns: 2_000 };

test(`an open attempt is looked after before anything else, and nothing is given up meanwhile (SEED=${SEED})`, () => {
  fc.assert(
    fc.property(inputs, (given) => {
      const unknown = given.unit.attempts.find(({ status }) => status === "open");
      const plan = planUnit(given);
      assert.deepEqual(plan.kind === "look-up" ? plan.attempt : undefined, unknown);
    }),
    RUNS,
  );
});

test("no supplier is called twice for a unit or while it is paused, and each attempt has a unique number", () => {
  fc.assert(
    fc.property(inputs, (given) => {
      const plan = planUnit(given);
      if (plan.kind !== "buy" && plan.kind !== "take-stock") return;
      const asked = given.unit.attempts.map(({ supplierId }) => supplierId);
      assert.ok(!asked.includes(plan.route.supplierId));
      assert.ok(!plan.route.paused);
      assert.equal(plan.kind === "take-stock", plan.route.hasOwnStock);
      assert.equal(plan.number, given.unit.attempts.length + 1);
      const before = given.routes.slice(0, given.routes.indexOf(plan.route));
      assert.ok(before.every(({ paused, supplierId }) => paused || asked.includes(supplierId)));
    }),
    RUNS,
  );
});

test("a unit is given up only for a wrong account, when no route is left, or when all that is left rests for long", () => {
  fc.assert(
    fc.property(inputs, (given) => {
      if (planUnit(given).kind !== "give-up") return;
      const asked = given.unit.attempts.map(({ supplierId }) => supplierId);
      const left = given.routes.filter(({ supplierId }) => !asked.includes(supplierId));
      const isOld = given.now.getTime() - CREATED.getTime() >= limits.giveUpAfterMs;
      const wrongAccount = given.unit.attempts.at(-1)?.failureCode === "invalid_account";
      assert.ok(wrongAccount || left.length === 0 || (isOld && left.every(({ paused }) => paused)));
    }),
    RUNS,
  );
});
