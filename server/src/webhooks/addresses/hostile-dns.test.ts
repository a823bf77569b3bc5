import assert from "node:assert/strict";
import { before, test } from "node:test";
import { REBINDINGS, STEADY } from "../../../testing/dns/rebinding-names.ts";
import { canIsolate, type Rebound, runRebinding } from "../../../testing/dns/run-rebinding.ts";

/** Mistakes of a name server, which lead nowhere. All other names lead inside. */
const NOWHERE = ["chain-loop", "chain-localhost", "truncated-forever", "silent", "junk", "gone", "empty"];

/** Public, by a name server that says nothing about the other family. */
const HALF_PUBLIC = "half-public";

let isIsolated: boolean;
let rebound: Rebound;
before(async () => {
  isIsolated = canIsolate();
  rebound = await runRebinding(isIsolated);
});

test("no delivery reaches an address inside, whatever the name server says after the registration", (t) => {
  t.diagnostic(isIsolated ? "in a network of its own" : "without a network of its own: not permitted here");
  const { registered, again, outcomes, reachedInside } = rebound;
  assert.equal(registered, Object.keys(REBINDINGS).length, "all were public when they were registered");
  assert.equal(again, "rejected", "a name that leads inside cannot be registered");
  assert.deepEqual(reachedInside, []);
  for (const { name, error } of outcomes)
    if (!NOWHERE.includes(name) && name !== HALF_PUBLIC) assert.equal(error, "address_refused", name);
  for (const name of NOWHERE) {
    const error = outcomes.find((outcome) => outcome.name === name)?.error;
    assert.match(error ?? "", /^(unresolved|timeout|connect_timeout|address_refused)$/, name);
  }
});

test("a name whose answer changes with every question is judged by the answer that is connected to", () => {
  const { flips, reachedPublic } = rebound;
  assert.equal(flips.filter((error) => error === "address_refused").length, flips.length / 2);
  // The watch works: every other answer was public, and was connected to.
  if (isIsolated) assert.ok(reachedPublic >= flips.length / 2, `${reachedPublic}`);
});

test("a name server that answers for one family only is enough", () => {
  // The receiver ends every connection.
  const half = rebound.outcomes.find(({ name }) => name === HALF_PUBLIC);
  assert.match(half?.error ?? "", /^connection_(reset|failed)$/);
});

test("name servers that say nothing hold up no other endpoint", () => {
  assert.equal(rebound.first, STEADY);
});
