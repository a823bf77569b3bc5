import assert from "node:assert/strict";
import { test } from "node:test";
import type { Actor } from "../../lib/actor.ts";
import {
  countSpending,
  freezeIfTooFast,
  type KeyLimits,
  type LimitsByKey,
  refuseByCaps,
  refuseFrozen,
  sumSpending,
} from "./decide-limits.ts";

const KEY: Actor = { kind: "key", id: "key_1" };
const NONE: KeyLimits = {
  maxOrderMinor: undefined,
  maxDayMinor: undefined,
  freezeAboveMinor: undefined,
  freezeFrom: undefined,
  isFrozen: false,
  countedFrom: "2030-01-31",
  spent: new Map(),
};
const limitsOf = (changes: Partial<KeyLimits>): LimitsByKey => new Map([[KEY.id, { ...NONE, ...changes }]]);
const spending = (totalMinor: bigint, at = "2030-01-31T12:59:59.999Z") => ({
  totalMinor,
  currency: "USD",
  createdAt: new Date(at),
});

test("an order at the cap of an order passes, and one above it does not", () => {
  const limits = limitsOf({ maxOrderMinor: 100n });
  assert.equal(refuseByCaps(limits, KEY, spending(100n)), undefined);
  assert.equal(refuseByCaps(limits, KEY, spending(101n))?.code, "spend_limit_reached");
});

test("a day can spend exactly its cap, in all of its hours together", () => {
  const spent = new Map([
    ["2030-01-30T23", 900n],
    ["2030-01-31T00", 40n],
    ["2030-01-31T12", 30n],
  ]);
  const limits = limitsOf({ maxDayMinor: 100n, spent });
  assert.equal(refuseByCaps(limits, KEY, spending(30n)), undefined);
  assert.equal(refuseByCaps(limits, KEY, spending(31n))?.code, "spend_limit_reached");
  // The next day starts from zero, and days from before the limit do not count.
  assert.equal(refuseByCaps(limits, KEY, spending(100n, "2030-02-01T00:00:00Z")), undefined);
  assert.equal(refuseByCaps(limits, KEY, spending(999n, "2030-01-30T23:59:59Z")), undefined);
});

test("orders of one batch add up in the state", () => {
  const limits = limitsOf({ maxDayMinor: 100n });
  const counted = [countSpending(limits, KEY, spending(60n)), countSpending(limits, KEY, spending(30n))];
  assert.equal(refuseByCaps(limits, KEY, spending(10n)), undefined);
  assert.equal(refuseByCaps(limits, KEY, spending(11n))?.code, "spend_limit_reached");
  const parts = counted.flatMap((one) => one ?? []);
  assert.deepEqual(sumSpending(parts), [{ keyId: KEY.id, hour: "2030-01-31T12", spentMinor: 90n }]);
});

test("more than so much in an hour freezes the key, and a frozen key places nothing", () => {
  const limits = limitsOf({ freezeAboveMinor: 100n, spent: new Map([["2030-01-31T12", 60n]]) });
  assert.equal(freezeIfTooFast(limits, KEY, spending(40n)), undefined);
  assert.equal(refuseFrozen(limits, KEY), undefined);
  assert.equal(freezeIfTooFast(limits, KEY, spending(41n))?.code, "key_frozen");
  assert.equal(refuseFrozen(limits, KEY)?.code, "key_frozen");
});

test("a key that was unfrozen is not frozen again in the same hour", () => {
  const limits = limitsOf({ freezeAboveMinor: 100n, freezeFrom: "2030-01-31T13" });
  assert.equal(freezeIfTooFast(limits, KEY, spending(999n)), undefined);
  assert.equal(freezeIfTooFast(limits, KEY, spending(999n, "2030-01-31T13:00:00Z"))?.code, "key_frozen");
});

test("limits of a key are not those of a person, even of the same id", () => {
  const limits = limitsOf({ maxOrderMinor: 1n, isFrozen: true });
  const person: Actor = { kind: "user", id: KEY.id };
  assert.equal(refuseByCaps(limits, person, spending(100n)), undefined);
  assert.equal(refuseFrozen(limits, person), undefined);
});
