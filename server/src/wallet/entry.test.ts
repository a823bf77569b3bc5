import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../testing/any-character.ts";
import { SEED } from "../../testing/seed.ts";
import { AMOUNT_MAX_MINOR } from "../lib/money.ts";
import {
  appendEntry,
  chainHash,
  type Entry,
  type EntryType,
  emptyHead,
  genesisHash,
  type Movement,
  type WalletHead,
} from "./entry.ts";

const TENANT = { resellerId: "rsl_a", environment: "live" } as const;
const AT = new Date("2030-01-31T12:00:00.000Z");

const movement = (amountMinor: bigint, changes: Partial<Movement> = {}): Movement => ({
  id: "ent_1",
  type: "deposit",
  amountMinor,
  orderId: null,
  note: null,
  createdAt: AT,
  ...changes,
});

function append(head: WalletHead, next: Movement): { entry: Entry; head: WalletHead } {
  const appended = appendEntry(head, next);
  assert.ok(appended);
  return appended;
}

test("an entry has the movement, its sequence number and the resulting balance", () => {
  const empty = emptyHead(TENANT, "USD");
  const { entry, head } = append(empty, movement(500n, { note: "hello" }));
  assert.deepEqual(entry, {
    ...TENANT,
    id: "ent_1",
    type: "deposit",
    counterAccount: "funding",
    amountMinor: 500n,
    balanceAfterMinor: 500n,
    currency: "USD",
    sequence: 1n,
    orderId: null,
    note: "hello",
    createdAt: AT,
    hash: chainHash(genesisHash(TENANT), entry),
  });
  assert.deepEqual(head, { ...empty, balanceMinor: 500n, sequence: 1n, hash: entry.hash, lastEntryAt: AT });
});

test("each type of movement has a counter account", () => {
  const { head } = append(emptyHead(TENANT, "USD"), movement(500n));
  const accountOf = (type: EntryType) => append(head, movement(-1n, { type })).entry.counterAccount;
  assert.deepEqual((["deposit", "order", "refund", "adjustment"] as const).map(accountOf), [
    "funding",
    "sales",
    "sales",
    "adjustments",
  ]);
});

test("a balance goes down to zero and up to the largest exact JSON integer, and no further", () => {
  const { head } = append(emptyHead(TENANT, "USD"), movement(500n));
  assert.equal(append(head, movement(-500n)).head.balanceMinor, 0n);
  assert.equal(appendEntry(head, movement(-501n)), undefined);
  assert.equal(append(head, movement(AMOUNT_MAX_MINOR - 500n)).head.balanceMinor, AMOUNT_MAX_MINOR);
  assert.equal(appendEntry(head, movement(AMOUNT_MAX_MINOR - 499n)), undefined);
});

test("no two wallets start with the same hash", () => {
  const tenants = [TENANT, { ...TENANT, environment: "test" } as const, { ...TENANT, resellerId: "rsl_b" }];
  assert.equal(new Set(tenants.map((tenant) => genesisHash(tenant).toString("hex"))).size, 3);
});

test("time never goes backwards within a wallet: a late entry gets the time of the previous one", () => {
  const later = append(emptyHead(TENANT, "USD"), movement(500n));
  const earlier = append(later.head, movement(1n, { createdAt: new Date(AT.getTime() - 5) }));
  assert.deepEqual(earlier.entry.createdAt, AT);
  assert.deepEqual(
    earlier.entry.hash,
    chainHash(later.entry.hash, earlier.entry),
    "the hash covers that time",
  );
  const next = append(earlier.head, movement(1n, { createdAt: new Date(AT.getTime() + 1) }));
  assert.deepEqual(next.entry.createdAt, new Date(AT.getTime() + 1));
});

test("a chain of any valid movements verifies from its start and adds up", () => {
  fc.assert(
    fc.property(fc.array(anyMovement, { maxLength: 30 }), (movements) => {
      const { entries, head } = chainOf(movements);
      assert.ok(verifies(entries));
      assert.equal(
        head.balanceMinor,
        entries.reduce((sum, entry) => sum + entry.amountMinor, 0n),
      );
      assert.equal(head.sequence, BigInt(entries.length));
      assert.deepEqual(head.hash, entries.at(-1)?.hash ?? genesisHash(TENANT));
    }),
    { seed: SEED },
  );
});

test("a chain with one changed field or two swapped entries does not verify", () => {
  fc.assert(
    fc.property(
      fc.array(anyMovement, { minLength: 1, maxLength: 10 }),
      fc.nat(),
      fc.constantFrom(...TAMPERINGS),
      (movements, at, tamper) => {
        const { entries } = chainOf([movement(1n), ...movements]);
        const index = at % entries.length;
        const changed = entries.map((entry, place) =>
          place === index ? { ...entry, ...tamper(entry) } : entry,
        );
        assert.equal(verifies(changed), false);
        if (entries.length > 1) assert.equal(verifies(entries.toReversed()), false);
      },
    ),
    { seed: SEED },
  );
});

const anyMovement: fc.Arbitrary<Movement> = fc.record({
  id: fc.string({ minLength: 1, maxLength: 8 }).map((text) => `ent_${text}`),
  type: fc.constantFrom<EntryType[]>("deposit", "order", "refund", "adjustment"),
  amountMinor: fc.bigInt({ min: -AMOUNT_MAX_MINOR, max: AMOUNT_MAX_MINOR }),
  orderId: fc.option(fc.constantFrom("ord_1", "ord_2")),
  note: fc.option(fc.string({ maxLength: 20, unit: anyCharacter })),
  createdAt: fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }),
});

const TAMPERINGS: readonly ((entry: Entry) => Partial<Entry>)[] = [
  ({ id }) => ({ id: `${id}x` }),
  ({ resellerId }) => ({ resellerId: `${resellerId}x` }),
  () => ({ environment: "test" }),
  ({ sequence }) => ({ sequence: sequence + 1n }),
  ({ type }) => ({ type: type === "order" ? "refund" : "order" }),
  ({ counterAccount }) => ({ counterAccount: counterAccount === "sales" ? "funding" : "sales" }),
  ({ amountMinor }) => ({ amountMinor: -amountMinor - 1n }),
  ({ balanceAfterMinor }) => ({ balanceAfterMinor: balanceAfterMinor + 1n }),
  () => ({ currency: "EUR" }),
  ({ orderId }) => ({ orderId: `${orderId}x` }),
  ({ createdAt }) => ({ createdAt: new Date(createdAt.getTime() + 1) }),
  ({ note }) => ({ note: `${note}x` }),
  ({ hash }) => ({ hash: Buffer.from(hash.map((byte) => byte ^ 1)) }),
];

/** The entries of the movements that fit. */
function chainOf(movements: readonly Movement[]): { entries: Entry[]; head: WalletHead } {
  const entries: Entry[] = [];
  let head = emptyHead(TENANT, "USD");
  for (const one of movements) {
    const next = appendEntry(head, one);
    if (!next) continue;
    entries.push(next.entry);
    head = next.head;
  }
  return { entries, head };
}

const verifies = (entries: readonly Entry[]): boolean =>
  entries.every((entry, index) =>
    chainHash(entries[index - 1]?.hash ?? genesisHash(TENANT), entry).equals(entry.hash),
  );
