import assert from "node:assert/strict";
import { test } from "node:test";
import { maskSecrets } from "./mask-secrets.ts";

test("keys and webhook secrets are masked wherever they are, and the rest stays", () => {
  assert.equal(maskSecrets("/v1/orders/sc_live_abc123/codes"), "/v1/orders/sc_live_…/codes");
  const body = JSON.stringify({ detail: '"sc_test_abc" is not a webhook' });
  assert.deepEqual(JSON.parse(maskSecrets(body)), { detail: '"sc_test_…" is not a webhook' });
  assert.equal(maskSecrets("whsec_a+b= and whsec_c"), "whsec_… and whsec_…");
  assert.equal(maskSecrets("/v1/orders/ord_1"), "/v1/orders/ord_1");
});
