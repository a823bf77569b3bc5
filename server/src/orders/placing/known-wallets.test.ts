import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyLimits } from "../../keys/limits/decide-limits.ts";
import { ORDINARY_FATE } from "../../sandbox/order-fate.ts";
import { appendEntry, emptyHead, type WalletHead } from "../../wallet/entry.ts";
import type { Placement, PlacementState } from "./decide-placements.ts";
import { createKnownWallets, irregularWallets } from "./known-wallets.ts";

const NONE: ReadonlySet<string> = new Set();
const AT = new Date("2026-11-18T12:00:00Z");

const placementOf = (resellerId: string, changes: Partial<Placement> = {}): Placement => ({
  orderId: "ord_1",
  resellerId,
  environment: "live",
  actor: { kind: "key", id: `key_${resellerId}` },
  idempotencyKey: "one",
  fingerprint: Buffer.alloc(32),
  reference: null,
  fate: ORDINARY_FATE,
  catalogRevision: "1.1",
  priced: { lines: [], totalMinor: 1n, currency: "USD" },
  createdAt: AT,
  ...changes,
});

/** The head of a wallet after so many deposits of one cent. */
function headAfter(resellerId: string, entries: number): WalletHead {
  let head = emptyHead({ resellerId, environment: "live" }, "USD");
  for (let number = 0; number < entries; number += 1) {
    const movement = { type: "deposit", amountMinor: 1n, orderId: null, note: null, createdAt: AT } as const;
    const next = appendEntry(head, { id: `ent_${number}`, ...movement });
    assert.ok(next);
    head = next.head;
  }
  return head;
}

const headsOf = (entries: Record<string, number>) =>
  new Map(Object.entries(entries).map(([id, count]) => [`${id} live`, headAfter(id, count)]));

/** What the database returns for them, with their fences. */
const stateOf = (wallets: Map<string, WalletHead>, fence = "0"): PlacementState => ({
  wallets,
  fences: new Map([...wallets.keys()].map((key) => [key, fence])),
  atMs: AT.getTime(),
  bound: new Map(),
  living: new Set(),
  revisions: new Map(),
  limits: new Map(),
});

/** A wallet that was found as it was left: what is predicted of it next. */
function knowing(entries: Record<string, number>) {
  const known = createKnownWallets();
  const heads = headsOf(entries);
  known.found(heads, stateOf(heads), NONE);
  known.found(heads, stateOf(heads), NONE);
  return known;
}

test("only a wallet that was found as it was left is predicted, with its last head", () => {
  const known = createKnownWallets();
  const asked = [placementOf("a")];
  assert.equal(known.predict(asked), undefined);
  known.found(headsOf({ a: 1 }), stateOf(headsOf({ a: 2 })), NONE);
  assert.equal(known.predict(asked), undefined, "locked once");
  known.found(headsOf({ a: 3 }), stateOf(headsOf({ a: 4 })), NONE);
  assert.equal(known.predict(asked), undefined, "moved by others");
  known.found(headsOf({ a: 4 }), stateOf(headsOf({ a: 5 })), new Set(["a live"]));
  assert.equal(known.predict(asked), undefined, "irregular");
  known.found(headsOf({ a: 5 }), stateOf(headsOf({ a: 6 })), NONE);
  assert.deepEqual(known.predict(asked)?.wallets, headsOf({ a: 6 }));
});

test("while a batch is under way nothing more is predicted of its wallets", () => {
  const known = knowing({ a: 1, b: 1 });
  const [a, b] = [placementOf("a"), placementOf("b")];
  assert.ok(known.predict([a]));
  assert.equal(known.predict([a]), undefined);
  assert.equal(known.predict([a, b]), undefined);
  assert.ok(known.predict([b]), "what was not predicted because of another wallet can be");
  known.confirmed(stateOf(headsOf({ a: 2 })), AT.getTime());
  assert.deepEqual(known.predict([a])?.wallets, headsOf({ a: 2 }));
  known.willLock([a]);
  assert.equal(known.predict([a]), undefined, "it is being locked");
  known.found(headsOf({ a: 2 }), stateOf(headsOf({ a: 3 })), NONE);
  assert.ok(known.predict([a]), "it was as this process had left it");
  known.confirmed(stateOf(headsOf({ a: 4 })), AT.getTime());
  known.forget([a]);
  assert.equal(known.predict([a]), undefined);
});

test("an answer that comes after that to a later batch changes nothing", () => {
  const known = knowing({ a: 1 });
  const asked = [placementOf("a")];
  known.predict(asked);
  known.found(headsOf({ a: 2 }), stateOf(headsOf({ a: 3 })), NONE);
  known.confirmed(stateOf(headsOf({ a: 2 })), AT.getTime());
  assert.equal(known.predict(asked), undefined);
  known.found(headsOf({ a: 3 }), stateOf(headsOf({ a: 4 })), NONE);
  assert.deepEqual(known.predict(asked)?.wallets, headsOf({ a: 4 }));
});

test("what this process must decide under the locks, and what cannot be right as a whole, is not predicted", () => {
  const known = knowing({ a: 1 });
  const refused: readonly Placement[][] = [
    [placementOf("a", { actor: { kind: "user", id: "usr_1" } })],
    [placementOf("a", { isInDoubt: true })],
    [placementOf("a", { priceAgain: async () => ({ lines: [], totalMinor: 1n, currency: "USD" }) })],
    [placementOf("a"), placementOf("a", { catalogRevision: "1.2" })],
    [placementOf("a"), placementOf("unknown")],
  ];
  for (const placements of refused) assert.equal(known.predict(placements), undefined);
  assert.ok(known.predict([placementOf("a"), placementOf("a")]));
});

test("of very many wallets those that were locked longest ago are forgotten", () => {
  const known = knowing({ first: 0, second: 0 });
  const [first, second] = [headsOf({ first: 0 }), headsOf({ second: 0 })];
  known.found(first, stateOf(first), NONE);
  const template = headAfter("other", 0);
  for (let number = 0; number < 9_999; number += 1)
    known.confirmed(stateOf(new Map([[`other-${number} live`, template]])), 0);
  assert.equal(known.predict([placementOf("second")]), undefined);
  assert.ok(known.predict([placementOf("first")]));
  known.found(second, stateOf(second), NONE);
  assert.equal(known.predict([placementOf("second")]), undefined);
});

test("a wallet that was fenced since is not predicted, and what is predicted carries the fence and the time", () => {
  const known = knowing({ a: 1 });
  const heads = headsOf({ a: 1 });
  known.found(heads, stateOf(heads, "1"), NONE);
  assert.equal(known.predict([placementOf("a")]), undefined);
  known.found(heads, stateOf(heads, "1"), NONE);
  const predicted = known.predict([placementOf("a")]);
  assert.deepEqual(predicted?.fences, new Map([["a live", "1"]]));
  assert.ok(predicted && predicted.atMs >= AT.getTime(), "time goes on since it was read");
});

test("what is remembered of a wallet keeps no more memory than its own", () => {
  const known = knowing({ a: 1 });
  const head = known.predict([placementOf("a")])?.wallets.get("a live");
  assert.equal(head?.hash.buffer.byteLength, 32);
});

test("wallets of keys with limits and of frozen resellers are irregular", () => {
  const state = stateOf(headsOf({ a: 1, b: 1, c: 1 }));
  const limits = { isFrozen: false, spent: new Map() } as unknown as KeyLimits;
  const irregular = irregularWallets(
    {
      ...state,
      limits: new Map([["key_a", limits]]),
      revisions: new Map([
        ["a", "1.1"],
        ["b", "frozen"],
        ["c", "1.2"],
      ]),
    },
    ["a", "b", "c"].map((id) => placementOf(id)),
  );
  assert.deepEqual([...irregular], ["a live", "b live"]);
});
