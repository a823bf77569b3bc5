import assert from "node:assert/strict";
import { test } from "node:test";
import { decideAlerts } from "./decide-alerts.ts";

const found = (...subjects: string[]) => subjects.map((subject) => ({ subject, facts: { subject, n: 1 } }));
const open = (...subjects: string[]) =>
  found(...subjects).map((one) => ({ ...one, id: `alt_${one.subject}` }));

test("new subjects are raised, missing ones resolved, and changed facts written", () => {
  assert.deepEqual(decideAlerts(found("a", "b"), open("b", "c"), 10), {
    raise: found("a"),
    refresh: [],
    resolve: ["alt_c"],
  });
  const changed = decideAlerts([{ subject: "a", facts: { n: 2 } }], open("a"), 10);
  assert.deepEqual(changed, { raise: [], refresh: [{ id: "alt_a", facts: { n: 2 } }], resolve: [] });
});

test("when more hold than are read, nothing is resolved, and no more are raised than have room", () => {
  assert.deepEqual(decideAlerts(found("a", "b", "c"), open("x"), 3), {
    raise: found("a", "b"),
    refresh: [],
    resolve: [],
  });
});
