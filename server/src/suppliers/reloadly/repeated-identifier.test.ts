import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReloadlyVerdict } from "./judge-reloadly.ts";
import { chooseVerdict } from "./reloadly-supplier.ts";

const price = { amountMinor: 80n, currency: "USD" };
const sold = (upstreamId: string): ReloadlyVerdict => ({ kind: "sold", upstreamId, price });
const pending = (upstreamId: string): ReloadlyVerdict => ({ kind: "accepted", upstreamId, price });
const failed: ReloadlyVerdict = {
  kind: "refused",
  failureCode: "rejected_by_issuer",
  supplierFault: false,
};
const nonsense: ReloadlyVerdict = { kind: "unknown", reason: "nonsense" };

const CASES: [string, readonly ReloadlyVerdict[], string | undefined, ReloadlyVerdict][] = [
  ["one alone is the purchase", [sold("7")], undefined, sold("7")],
  [
    "of two that were sold the first is, however they are listed",
    [sold("10"), sold("9")],
    undefined,
    sold("9"),
  ],
  ["the one that we know already stays the purchase", [sold("9"), sold("10")], "10", sold("10")],
  [
    "one that was sold counts before one that is pending or failed",
    [failed, pending("8"), sold("9")],
    undefined,
    sold("9"),
  ],
  ["one that is pending counts before one that failed", [failed, pending("8")], undefined, pending("8")],
  ["when all failed nothing was bought", [failed, failed], undefined, failed],
  ["with a foreign or unreadable one the list proves nothing", [sold("9"), nonsense], "9", nonsense],
];
for (const [what, verdicts, known, chosen] of CASES)
  test(`transactions under one identifier: ${what}`, () => {
    assert.deepEqual(chooseVerdict(verdicts, known), chosen);
  });
