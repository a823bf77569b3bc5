import assert from "node:assert/strict";
import { test } from "node:test";
import { judgePurchaseError, refused } from "./judge-error.ts";
import type { HttpAnswer } from "./supplier-http.ts";

const told = { code: undefined, message: undefined, refusal: undefined, isConflict: false };
const answered = (status: number): HttpAnswer => ({
  kind: "answer",
  status,
  body: {},
  isEmpty: false,
  headers: {},
});

test("a refusal with a known code is final", () => {
  const refusal = refused("out_of_stock");
  assert.deepEqual(judgePurchaseError(answered(400), { ...told, code: "SOLD_OUT", refusal }), refusal);
});

test("a refusal in other words is looked up at once, and doubted when that finds nothing", () => {
  for (const [status, failureCode] of [
    [400, "rejected_by_issuer"],
    [422, "rejected_by_issuer"],
    [403, "temporarily_unavailable"],
  ] as const) {
    const judged = judgePurchaseError(answered(status), { ...told, message: "Blocked by policy" });
    assert.ok(judged.kind === "doubted", `${status}`);
    assert.deepEqual([judged.refusal.failureCode, judged.refusal.isDoubted], [failureCode, true]);
  }
});

test("an error that says nothing, or that may be about our reference, proves nothing", () => {
  for (const status of [400, 404, 409, 500]) {
    const message = status === 400 ? undefined : "no";
    assert.equal(judgePurchaseError(answered(status), { ...told, message }).kind, "unknown", `${status}`);
  }
  const repeated = judgePurchaseError(answered(400), { ...told, message: "Identifier already in use" });
  assert.equal(repeated.kind, "unknown");
});
