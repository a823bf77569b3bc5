import assert from "node:assert/strict";
import { test } from "node:test";
import { hasFreshProof, PROOF_MS, SESSION_IDLE_MS, SESSION_MAX_MS, sessionBounds } from "./session-life.ts";

const PROVED = { provedAt: new Date(0) };

test("proof is fresh until five minutes are over, and not at that moment", () => {
  assert.equal(PROOF_MS, 300_000);
  assert.equal(hasFreshProof(PROVED, new Date(PROOF_MS - 1)), true);
  assert.equal(hasFreshProof(PROVED, new Date(PROOF_MS)), false);
});

test("a session lives 12 hours after its last request, and 7 days in all", () => {
  const now = new Date("2030-01-31T12:00:00Z");
  const { seenAfter, createdAfter } = sessionBounds(now);
  assert.deepEqual(
    [now.getTime() - seenAfter.getTime(), now.getTime() - createdAfter.getTime()],
    [SESSION_IDLE_MS, SESSION_MAX_MS],
  );
  assert.deepEqual([SESSION_IDLE_MS, SESSION_MAX_MS], [12 * 3_600_000, 7 * 86_400_000]);
});
