import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAmountLimits } from "../../lib/money.ts";
import { toProposal } from "./proposal.ts";
import type { ProposalRow } from "./proposal-queries.ts";
import { approvalAbove } from "./request-movement.ts";

const LIVE = { resellerId: "rsl_1", environment: "live" } as const;
const LIMITS = parseAmountLimits("USD:1000.00");

test("an amount up to the limit takes one person, and one minor unit more takes two", () => {
  assert.equal(approvalAbove(LIMITS, LIVE, "USD", 100_000n), undefined);
  assert.equal(approvalAbove(LIMITS, LIVE, "USD", 100_001n), 100_000n);
});

test("a currency without a limit takes two people from its first minor unit on", () => {
  assert.equal(approvalAbove(LIMITS, LIVE, "EUR", 1n), 0n);
});

test("test money, and a server without limits, take one person", () => {
  assert.equal(approvalAbove(LIMITS, { ...LIVE, environment: "test" }, "USD", 100_001n), undefined);
  assert.equal(approvalAbove(undefined, LIVE, "USD", 100_001n), undefined);
});

test("a proposal that waits has expired from the moment of its expiry on, and a decided one never does", () => {
  const expiresAt = new Date(1_000);
  const row = (state: ProposalRow["state"]) => ({ state, expiresAt }) as ProposalRow;
  assert.equal(toProposal(row("waiting"), new Date(999)).state, "waiting");
  assert.equal(toProposal(row("waiting"), expiresAt).state, "expired");
  assert.equal(toProposal(row("approved"), new Date(2_000)).state, "approved");
});
