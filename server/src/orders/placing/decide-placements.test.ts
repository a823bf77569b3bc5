import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyLimits } from "../../keys/limits/decide-limits.ts";
import type { Actor } from "../../lib/actor.ts";
import { Problem } from "../../lib/problem.ts";
import { ORDINARY_FATE } from "../../sandbox/order-fate.ts";
import { appendEntry, chainHash, emptyHead, type WalletHead } from "../../wallet/entry.ts";
import {
  bindingKey,
  decidePlacements,
  livingKey,
  type Placement,
  type PlacementState,
} from "./decide-placements.ts";

const LIVE = { resellerId: "rsl_a", environment: "live" } as const;
const TEST = { resellerId: "rsl_a", environment: "test" } as const;
const OTHER = { resellerId: "rsl_b", environment: "live" } as const;
const AT = new Date("2030-01-31T12:00:00.000Z");

const outOfStock = new Problem("out_of_stock", "There is none left.");
const key = (id: string): Actor => ({ kind: "key", id });
let orders = 0;

function funded(tenant: typeof LIVE | typeof TEST | typeof OTHER, amountMinor: bigint): WalletHead {
  const deposit = {
    id: "ent_0",
    type: "deposit",
    amountMinor,
    orderId: null,
    note: null,
    createdAt: AT,
  } as const;
  const head = appendEntry(emptyHead(tenant, "USD"), deposit)?.head;
  assert.ok(head);
  return head;
}

/** Every wallet has 100, and every reseller's catalog is at revision 1. */
const state = (): PlacementState => ({
  wallets: new Map(
    [LIVE, TEST, OTHER].map((one) => [`${one.resellerId} ${one.environment}`, funded(one, 100n)]),
  ),
  fences: new Map(),
  atMs: 0,
  bound: new Map(),
  living: new Set(
    ["rsl_a", "rsl_b", "rsl_none"].flatMap((one) => ["key_1", "key_2"].map((id) => livingKey(key(id), one))),
  ),
  revisions: new Map([
    ["rsl_a", "1.1"],
    ["rsl_b", "1.1"],
  ]),
  limits: new Map(),
});

function placement(
  totalMinor: bigint | Problem,
  changes: Partial<Placement> & { body?: string } = {},
): Placement {
  orders += 1;
  const { body = "body", ...others } = changes;
  return {
    ...LIVE,
    orderId: `ord_${orders}`,
    actor: key("key_1"),
    idempotencyKey: `idem-${orders}`,
    fingerprint: Buffer.alloc(32, body),
    reference: null,
    fate: ORDINARY_FATE,
    catalogRevision: "1.1",
    priced: totalMinor instanceof Problem ? totalMinor : { lines: [], totalMinor, currency: "USD" },
    createdAt: AT,
    ...others,
  };
}

const kinds = (from: PlacementState, placements: readonly Placement[]): string[] =>
  decidePlacements(from, placements).map((decision) =>
    decision.kind === "refused" ? decision.problem.code : decision.kind,
  );

test("an affordable order is placed as pending, with its entry, and the wallet's head and the key are updated", () => {
  const now = state();
  const before = now.wallets.get("rsl_a live");
  const asked = placement(30n);
  const [decision] = decidePlacements(now, [asked]);
  assert.ok(decision?.kind === "placed" && before);
  assert.deepEqual(decision.order, {
    id: asked.orderId,
    status: "pending",
    totalMinor: 30n,
    currency: "USD",
    fingerprint: asked.fingerprint,
  });
  const { entry } = decision.placed;
  assert.deepEqual(
    [
      entry.type,
      entry.counterAccount,
      entry.amountMinor,
      entry.balanceAfterMinor,
      entry.sequence,
      entry.orderId,
    ],
    ["order", "sales", -30n, 70n, 2n, asked.orderId],
  );
  assert.deepEqual(entry.hash, chainHash(before.hash, entry));
  const head = now.wallets.get("rsl_a live");
  assert.deepEqual([head?.balanceMinor, head?.sequence, head?.hash], [70n, 2n, entry.hash]);
  assert.equal(now.bound.get(bindingKey(LIVE, asked.idempotencyKey)), decision.order);
});

test("a wallet can be spent to exactly zero", () => {
  const now = state();
  const placements = [placement(60n), placement(41n), placement(40n), placement(1n)];
  const expected = ["placed", "insufficient_funds", "placed", "insufficient_funds"];
  assert.deepEqual(kinds(now, placements), expected);
  assert.equal(now.wallets.get("rsl_a live")?.balanceMinor, 0n);
});

test("insufficient funds are reported with the balance at the order's turn", () => {
  const [, refused] = decidePlacements(state(), [placement(60n), placement(50n)]);
  assert.ok(refused?.kind === "refused");
  assert.deepEqual(refused.problem.options.members, {
    required: { amount: 50, currency: "USD" },
    balance: { amount: 40, currency: "USD" },
  });
});

test("a bound key returns its order, regardless of price, catalog and balance", () => {
  const now = state();
  const [first] = decidePlacements(now, [placement(100n, { idempotencyKey: "k" })]);
  assert.ok(first?.kind === "placed");
  for (const again of [
    placement(100n, { idempotencyKey: "k" }),
    placement(outOfStock, { idempotencyKey: "k" }),
    placement(1n, { idempotencyKey: "k", catalogRevision: "1.0" }),
    placement(1n, { idempotencyKey: "k", actor: key("key_2") }),
  ]) {
    assert.deepEqual(decidePlacements(now, [again]), [{ kind: "replayed", order: first.order }]);
    assert.deepEqual(kinds(now, [{ ...again, fingerprint: Buffer.alloc(32, "other") }]), ["conflict"]);
  }
});

test("a replay returns the order as the database has it now", () => {
  const now = state();
  const fingerprint = Buffer.alloc(32, "body");
  const order = { id: "ord_old", status: "refunded", totalMinor: 5n, currency: "USD", fingerprint } as const;
  now.bound.set(bindingKey(LIVE, "k"), order);
  assert.deepEqual(decidePlacements(now, [placement(9n, { idempotencyKey: "k" })]), [
    { kind: "replayed", order },
  ]);
});

test("an order whose COMMIT lost its response is reported as placed, even if its key was revoked meanwhile", () => {
  const now = state();
  const one = placement(10n, { idempotencyKey: "k" });
  decidePlacements(now, [one]);
  const later = { ...now, living: new Set<string>() };
  assert.deepEqual(kinds(later, [one]), ["replayed"]);
});

test("a forwarded order is decided before its deadline, and afterwards only found", () => {
  const now = state();
  const one = placement(10n, { deadlineMs: 5 });
  const decideAt = (nowMs: number) => decidePlacements(now, [one], nowMs).map(({ kind }) => kind);
  assert.deepEqual([5, 4.9, 5].map(decideAt), [["busy"], ["placed"], ["replayed"]]);
});

test("a revoked key gets nothing, not even an order that it placed before", () => {
  const now = state();
  decidePlacements(now, [placement(10n, { idempotencyKey: "k" })]);
  const revoked = { idempotencyKey: "k", actor: key("key_gone") };
  const others = [
    placement(10n, revoked),
    placement(outOfStock, revoked),
    placement(10n, { actor: key("key_gone") }),
  ];
  assert.deepEqual(kinds(now, others), ["revoked", "revoked", "revoked"]);
  assert.equal(now.wallets.get("rsl_a live")?.balanceMinor, 90n);
});

test("an actor is active only as its own kind and for its own reseller", () => {
  const now = state();
  const asked = [
    placement(10n, { actor: { kind: "user", id: "key_1" } }),
    placement(10n, { actor: key("usr_1") }),
    placement(10n, { actor: { kind: "user", id: "usr_1" } }),
    placement(10n, { ...OTHER, actor: { kind: "user", id: "usr_1" } }),
  ];
  const living = new Set([...now.living, livingKey({ kind: "user", id: "usr_1" }, "rsl_a")]);
  assert.deepEqual(kinds({ ...now, living }, asked), ["revoked", "revoked", "placed", "revoked"]);
});

test("a placement priced or refused at an older revision is stale, before funds are checked", () => {
  const old = { catalogRevision: "1.0" };
  const decisions = decidePlacements(state(), [
    placement(1n, old),
    placement(outOfStock, old),
    placement(999n, old),
  ]);
  for (const decision of decisions) assert.deepEqual(decision, { kind: "stale", catalogRevision: "1.1" });
});

test("the catalog's refusal comes before the wallet's, and a currency mismatch is refused", () => {
  const inYen = placement(999n, { priced: { lines: [], totalMinor: 999n, currency: "JPY" } });
  const now = state();
  assert.deepEqual(kinds(now, [placement(outOfStock), inYen]), ["out_of_stock", "currency_mismatch"]);
  assert.deepEqual(now.wallets, state().wallets);
  assert.equal(now.bound.size, 0);
});

test("the same key twice in a batch: the first places, equal requests replay, different ones conflict", () => {
  const one = { idempotencyKey: "k" };
  const [first, ...rest] = [
    placement(10n, one),
    placement(10n, one),
    placement(20n, { ...one, body: "other" }),
  ];
  assert.ok(first);
  const now = state();
  const decisions = decidePlacements(now, [first, ...rest]);
  assert.deepEqual(
    decisions.map(({ kind }) => kind),
    ["placed", "replayed", "conflict"],
  );
  assert.ok(decisions[1]?.kind === "replayed");
  assert.equal(decisions[1].order.id, first.orderId);
  assert.equal(now.wallets.get("rsl_a live")?.balanceMinor, 90n);
});

test("a refusal binds nothing: the next request with that key is decided again, whatever it contains", () => {
  const one = { idempotencyKey: "k" };
  const tries = [
    placement(101n, one),
    placement(outOfStock, one),
    placement(100n, { ...one, body: "other" }),
  ];
  assert.deepEqual(kinds(state(), tries), ["insufficient_funds", "out_of_stock", "placed"]);
});

test("resellers and environments share neither keys nor money", () => {
  const one = { idempotencyKey: "k" };
  const all = [
    placement(100n, one),
    placement(100n, { ...one, ...TEST }),
    placement(100n, { ...one, ...OTHER }),
  ];
  const now = state();
  assert.deepEqual(kinds(now, all), ["placed", "placed", "placed"]);
  assert.deepEqual(
    [...now.wallets.values()].map((head) => head.balanceMinor),
    [0n, 0n, 0n],
  );
});

test("a reseller without a wallet is an internal error", () => {
  const nobody = placement(1n, { resellerId: "rsl_none", catalogRevision: "" });
  assert.throws(() => decidePlacements(state(), [nobody]), /without a wallet/);
});

const limited = (changes: Partial<KeyLimits>): PlacementState => {
  const none = { maxOrderMinor: undefined, maxDayMinor: undefined, freezeAboveMinor: undefined };
  const limits = {
    ...none,
    freezeFrom: undefined,
    isFrozen: false,
    countedFrom: "2030-01-31",
    spent: new Map(),
  };
  return { ...state(), limits: new Map([["key_1", { ...limits, ...changes }]]) };
};
const NEXT_DAY = new Date("2030-02-01T00:00:00.000Z");
const DAY_BEFORE = new Date("2030-01-30T23:59:59.999Z");

test("a key spends up to its limits and not one minor unit more, and other keys have none", () => {
  const now = limited({ maxOrderMinor: 40n, maxDayMinor: 50n });
  const orders = [
    placement(41n),
    placement(40n),
    placement(11n),
    placement(10n),
    placement(1n),
    placement(1n, { actor: key("key_2") }),
    placement(40n, { createdAt: NEXT_DAY }),
  ];
  const reached = "spend_limit_reached";
  const expected = [reached, "placed", reached, "placed", reached, "placed", "placed"];
  assert.deepEqual(kinds(now, orders), expected);
  assert.deepEqual(
    [...(now.limits.get("key_1")?.spent ?? [])],
    [
      ["2030-01-31T12", 50n],
      ["2030-02-01T00", 40n],
    ],
  );
});

test("a limit refuses before the balance does, and after what the product refuses; a replay spends nothing", () => {
  const now = limited({ maxDayMinor: 30n });
  const first = placement(30n);
  const repeat = placement(30n, { idempotencyKey: first.idempotencyKey });
  const refused = [placement(outOfStock), placement(900n), placement(1n, { createdAt: DAY_BEFORE })];
  assert.deepEqual(kinds(now, [first, repeat, ...refused]), [
    "placed",
    "replayed",
    "out_of_stock",
    "spend_limit_reached",
    "placed",
  ]);
  assert.equal(now.limits.get("key_1")?.spent.size, 1, "a day before the limit is not counted");
  const [decision] = decidePlacements(
    limited({ maxDayMinor: 30n, spent: new Map([["2030-01-31T02", 25n]]) }),
    [placement(6n)],
  );
  assert.ok(decision?.kind === "refused");
  assert.match(
    decision.problem.message,
    /can spend 0\.30 USD in a UTC day and has spent 0\.25 USD.*0\.06 USD.*00:00 UTC/,
  );
});

test("the order that would be too much for the hour freezes the key, and nothing else is placed with it", () => {
  const now = limited({ freezeAboveMinor: 20n, spent: new Map([["2030-01-31T11", 900n]]) });
  const orders = [
    placement(20n),
    placement(1n),
    placement(outOfStock),
    placement(1n, { actor: key("key_2") }),
  ];
  const decisions = decidePlacements(now, orders);
  assert.deepEqual(
    decisions.map((one) => (one.kind === "refused" ? [one.problem.code, one.freezes] : one.kind)),
    ["placed", ["key_frozen", "key_1"], ["key_frozen", undefined], "placed"],
  );
  const poor = limited({ freezeAboveMinor: 20n });
  assert.deepEqual(kinds(poor, [placement(900n), placement(1n)]), ["insufficient_funds", "placed"]);
  const unfrozen = limited({ freezeAboveMinor: 20n, freezeFrom: "2030-01-31T13" });
  assert.deepEqual(kinds(unfrozen, [placement(50n)]), ["placed"], "unfrozen for the rest of the hour");
});
