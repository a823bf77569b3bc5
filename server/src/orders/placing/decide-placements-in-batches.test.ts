import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../../../testing/seed.ts";
import type { Tenant } from "../../http/caller.ts";
import { type KeyLimits, type KeySpending, sumSpending } from "../../keys/limits/decide-limits.ts";
import { Problem } from "../../lib/problem.ts";
import { ORDINARY_FATE } from "../../sandbox/order-fate.ts";
import {
  appendEntry,
  chainHash,
  type Entry,
  emptyHead,
  genesisHash,
  type WalletHead,
} from "../../wallet/entry.ts";
import {
  type BoundOrder,
  bindingKey,
  type Decision,
  decidePlacements,
  livingKey,
  type Placement,
  type PlacementState,
  walletKey,
} from "./decide-placements.ts";

const RUNS = 400;
const TENANTS: readonly (Tenant & { currency: string })[] = [
  { resellerId: "rsl_a", environment: "live", currency: "USD" },
  { resellerId: "rsl_a", environment: "test", currency: "USD" },
  { resellerId: "rsl_b", environment: "live", currency: "JPY" },
];
const AT_MS = Date.UTC(2030, 0, 31);

/** What keys may spend. The times of placements are around midnight, so each has two days and two hours. */
const LIMITS: Readonly<
  Record<string, Pick<KeyLimits, "maxOrderMinor" | "maxDayMinor" | "freezeAboveMinor">>
> = {
  key_capped: { maxOrderMinor: 35n, maxDayMinor: 70n, freezeAboveMinor: undefined },
  key_watched: { maxOrderMinor: undefined, maxDayMinor: undefined, freezeAboveMinor: 50n },
};
const ACTORS = ["key_1", "key_capped", "key_watched"];

/** What the database keeps between batches. */
type Store = {
  wallets: Map<string, WalletHead>;
  orders: Map<string, BoundOrder>;
  entries: Entry[];
  spent: KeySpending[];
  frozen: Set<string>;
};

test("however placements are split into batches, each gets the decision that it would get alone", () => {
  fc.assert(
    fc.property(scenario, ({ balances, wishes, cuts }) => {
      const placements = wishes.map(toPlacement);
      const [single, cut, whole] = [openStore(balances), openStore(balances), openStore(balances)];
      const alone = placements.flatMap((one) => decide(single, [one]));
      const inBatches = cutInto(placements, cuts).flatMap((batch) => decide(cut, batch));
      const together = decide(whole, placements);
      assert.deepEqual(inBatches.map(readable), alone.map(readable));
      assert.deepEqual(together.map(readable), alone.map(readable));
      for (const store of [cut, whole]) assert.deepEqual(readableStore(store), readableStore(single));
      for (const store of [single, cut, whole]) {
        checkChains(store, balances);
        checkCaps(store);
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test("the scenarios cover every kind of decision", () => {
  const met = new Set<string>();
  for (const { balances, wishes } of fc.sample(scenario, { seed: SEED, numRuns: RUNS })) {
    for (const one of decide(openStore(balances), wishes.map(toPlacement))) {
      met.add(one.kind === "refused" ? one.problem.code : one.kind);
    }
  }
  const kinds = ["placed", "replayed", "conflict", "revoked", "stale", "out_of_stock"];
  const money = ["insufficient_funds", "currency_mismatch", "spend_limit_reached", "key_frozen"];
  assert.deepEqual([...met].sort(), [...kinds, ...money].sort());
});

type Wish = {
  tenant: number;
  actor: number;
  key: number;
  body: number;
  total: number;
  isRevoked: boolean;
  isStale: boolean;
  isRefused: boolean;
  isForeign: boolean;
  ageMs: number;
};

/** Few tenants, keys and bodies, and little money, so that they collide all the time. */
const rarely = fc.nat(7).map((n) => n === 0);
const wish: fc.Arbitrary<Wish> = fc.record({
  tenant: fc.nat(TENANTS.length - 1),
  actor: fc.nat(ACTORS.length - 1),
  key: fc.nat(5),
  body: fc.nat(1),
  total: fc.integer({ min: 1, max: 40 }),
  isRevoked: rarely,
  isStale: rarely,
  isRefused: rarely,
  isForeign: rarely,
  ageMs: fc.nat(3),
});
const scenario = fc.record({
  balances: fc.array(fc.nat(120), { minLength: TENANTS.length, maxLength: TENANTS.length }),
  wishes: fc.array(wish, { maxLength: 40 }),
  cuts: fc.infiniteStream(fc.integer({ min: 1, max: 9 })).map((stream) => [...stream.take(40)]),
});

function toPlacement(one: Wish, index: number): Placement {
  const tenant = TENANTS[one.tenant];
  assert.ok(tenant);
  const currency = one.isForeign ? "EUR" : tenant.currency;
  return {
    resellerId: tenant.resellerId,
    environment: tenant.environment,
    orderId: `ord_${index}`,
    actor: { kind: "key", id: one.isRevoked ? "key_gone" : (ACTORS[one.actor] ?? "") },
    idempotencyKey: `idem ${one.key}`,
    fingerprint: Buffer.alloc(32, one.body),
    reference: null,
    fate: ORDINARY_FATE,
    catalogRevision: one.isStale ? "0" : "1",
    priced: one.isRefused
      ? new Problem("out_of_stock", "There is none left.")
      : { lines: [], totalMinor: BigInt(one.total), currency },
    // A placement that waited longer for the wallet was priced earlier, so times are out of order.
    createdAt: new Date(AT_MS - one.ageMs),
  };
}

function openStore(balances: readonly number[]): Store {
  const heads = TENANTS.map((tenant, index) => {
    const amountMinor = BigInt(balances[index] ?? 0);
    const deposit = {
      id: "ent_0",
      type: "deposit",
      amountMinor,
      orderId: null,
      note: null,
      createdAt: new Date(0),
    };
    const empty = emptyHead(tenant, tenant.currency);
    return amountMinor === 0n ? empty : (appendEntry(empty, { ...deposit, type: "deposit" })?.head ?? empty);
  });
  const wallets = new Map(heads.map((head) => [walletKey(head), head]));
  return { wallets, orders: new Map(), entries: [], spent: [], frozen: new Set() };
}

const limitsOf = (store: Store): Map<string, KeyLimits> =>
  new Map(
    Object.entries(LIMITS).map(([id, limits]) => {
      const spent = sumSpending(store.spent.filter(({ keyId }) => keyId === id));
      return [
        id,
        {
          ...limits,
          freezeFrom: undefined,
          isFrozen: store.frozen.has(id),
          countedFrom: "2030-01-30",
          spent: new Map(spent.map(({ hour, spentMinor }) => [hour, spentMinor])),
        },
      ];
    }),
  );

/** One batch as the database would process it: read its state, decide, write what was placed. */
function decide(store: Store, batch: readonly Placement[]): Decision[] {
  const asked = new Set(batch.map((one) => bindingKey(one, one.idempotencyKey)));
  const wallets = new Set(batch.map(walletKey));
  const state: PlacementState = {
    wallets: new Map([...store.wallets].filter(([key]) => wallets.has(key))),
    fences: new Map(),
    atMs: 0,
    bound: new Map([...store.orders].filter(([key]) => asked.has(key))),
    living: new Set(
      TENANTS.flatMap(({ resellerId }) => ACTORS.map((id) => livingKey({ kind: "key", id }, resellerId))),
    ),
    limits: limitsOf(store),
    revisions: new Map(TENANTS.map(({ resellerId }) => [resellerId, "1"])),
  };
  const decisions = decidePlacements(state, batch);
  for (const decision of decisions) {
    if (decision.kind === "refused" && decision.freezes !== undefined) store.frozen.add(decision.freezes);
    if (decision.kind !== "placed") continue;
    const { placement, entry, priced, spending } = decision.placed;
    const isLimited = Object.hasOwn(LIMITS, placement.actor.id);
    assert.equal(spending?.spentMinor, isLimited ? priced.totalMinor : undefined);
    if (spending) store.spent.push(spending);
    store.orders.set(bindingKey(placement, placement.idempotencyKey), decision.order);
    store.entries.push(entry);
  }
  for (const [key, head] of state.wallets) store.wallets.set(key, head);
  return decisions;
}

function cutInto(placements: readonly Placement[], cuts: readonly number[]): Placement[][] {
  const batches: Placement[][] = [];
  for (let from = 0; from < placements.length; from += batches.at(-1)?.length ?? 1) {
    batches.push(placements.slice(from, from + (cuts[batches.length] ?? 1)));
  }
  return batches;
}

/** Without the entry's random id and the hash that covers it. */
function readable(decision: Decision): unknown {
  switch (decision.kind) {
    case "placed":
      return { order: decision.order, entry: readableEntry(decision.placed.entry) };
    case "refused":
      return [decision.problem.code, decision.problem.message];
    default:
      return decision;
  }
}

const readableEntry = ({ id: _id, hash: _hash, ...entry }: Entry) => entry;

const readableStore = ({ wallets, orders, entries, spent, frozen }: Store) => ({
  spent,
  frozen,
  wallets: [...wallets.values()].map(({ hash: _hash, ...head }) => head),
  orders,
  entries: entries.map(readableEntry),
});

/** Each wallet's entries form a chain by number, balance, time and hash, and the head matches the last one. */
function checkChains(store: Store, balances: readonly number[]): void {
  for (const [index, tenant] of TENANTS.entries()) {
    const balance = BigInt(balances[index] ?? 0);
    let last = openStore(balances).wallets.get(walletKey(tenant));
    assert.ok(last && (balance > 0n || last.hash.equals(genesisHash(tenant))));
    for (const entry of store.entries.filter((one) => walletKey(one) === walletKey(tenant))) {
      assert.deepEqual([entry.sequence, entry.hash], [last.sequence + 1n, chainHash(last.hash, entry)]);
      assert.equal(entry.balanceAfterMinor, last.balanceMinor + entry.amountMinor);
      assert.ok(entry.balanceAfterMinor >= 0n && entry.createdAt >= last.lastEntryAt);
      const { balanceAfterMinor: balanceMinor, sequence, hash, createdAt: lastEntryAt } = entry;
      last = { ...last, balanceMinor, sequence, hash, lastEntryAt };
    }
    assert.deepEqual(store.wallets.get(walletKey(tenant)), last);
  }
}

/** No key spent more than its caps allow, and a frozen one had no room for another order of the largest total. */
function checkCaps(store: Store): void {
  const sumOf = (id: string, time: string) =>
    store.spent.reduce(
      (sum, one) => (one.keyId === id && one.hour.startsWith(time) ? sum + one.spentMinor : sum),
      0n,
    );
  for (const day of ["2030-01-30", "2030-01-31"]) assert.ok(sumOf("key_capped", day) <= 70n);
  const hours = ["2030-01-30T23", "2030-01-31T00"].map((hour) => sumOf("key_watched", hour));
  assert.ok(hours.every((minor) => minor <= 50n));
  if (store.frozen.has("key_watched")) assert.ok(hours.some((minor) => minor + 40n > 50n));
}
