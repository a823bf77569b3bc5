import assert from "node:assert/strict";
import { test } from "node:test";
import { ScripError } from "@scrip/sdk";
import { problemTable } from "../../lib/problem-table.ts";
import { refusalOf } from "./scrip-answers.ts";

/** They do not say that nothing was bought, or cannot be the answer to a placement. */
const NO_REFUSALS = [
  "codes_unavailable",
  "idempotency_conflict",
  "idempotency_in_progress",
  "idempotency_key_missing",
  "invalid_cursor",
  "invalid_test_scenario",
  "method_not_allowed",
  "order_not_fulfilled",
  "payload_too_large",
  "rate_limited",
  "secret_limit_reached",
  "unsupported_media_type",
  "webhook_inactive",
  "deposit_limit_reached",
  "encryption_key_limit_reached",
  "webhook_limit_reached",
  "webhook_url_not_allowed",
];

test("each 4xx of a placement is a refusal, or known not to be one", () => {
  for (const [code, { status }] of Object.entries(problemTable)) {
    if (status >= 500) continue;
    const error = new ScripError(code, "", { status });
    const isRefusal = refusalOf(error) !== undefined;
    assert.equal(isRefusal, !NO_REFUSALS.includes(code), `${status} ${code}`);
  }
});
