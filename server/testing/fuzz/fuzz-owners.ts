import assert from "node:assert/strict";
import { LIVE_CODE } from "./fuzz-goods.ts";
import type { RawReply } from "./raw-http.ts";

/** One response: the operation, the words that were sent, and what came back. */
export type Told = { operationId: string; sent: string; reply: RawReply };

export type FuzzOwners = {
  /**
   * Returns whether it is new. Throws if it belongs to another tenant: the first tenant that receives something owns
   * it.
   */
  claim(tenant: string, told: Told, word: string): boolean;
  ownerOf(word: string): string | undefined;
  /** Throws for a secret, code or key that must not be in the text. Returns the secrets that are allowed. */
  checkSecrets(tenant: string, told: Told, text: string): string[];
};

const WEBHOOK_SECRET = /whsec_[A-Za-z0-9+/=]{8,}/g;
const TEST_CODE = /TEST-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}/g;
const API_KEY = /sc_(?:live|test)_[0-9A-Za-z]{38}/g;
/** Only these operations return secrets and codes. */
const TELLS_SECRETS: ReadonlySet<string> = new Set(["registerWebhook", "rotateWebhookSecret"]);
const TELLS_CODES: ReadonlySet<string> = new Set(["getOrderCodes"]);

/** Tracks which tenant received what. Words that the caller sent can come back to it. */
export function createFuzzOwners(tenants: readonly string[]): FuzzOwners {
  const owners = new Map<string, string>();
  const secrets = new Set<string>();

  const claim: FuzzOwners["claim"] = (tenant, { operationId, sent }, word) => {
    const owner = owners.get(word);
    if (owner === tenant) return false;
    if (sent.includes(word)) return false;
    assert.equal(owner, undefined, `${operationId} returned ${tenant} of ${word}, which is ${owner}'s`);
    assert.ok(tenants.includes(tenant), `${operationId} returned ${word} to any caller`);
    owners.set(word, tenant);
    return true;
  };

  return {
    claim,
    ownerOf: (word) => owners.get(word),
    checkSecrets(tenant, told, text) {
      const { operationId, sent } = told;
      const unsent = (pattern: RegExp) =>
        [...text.matchAll(pattern)].map(([word]) => word).filter((word) => !sent.includes(word));
      const fresh = unsent(WEBHOOK_SECRET);
      for (const secret of fresh) {
        assert.ok(TELLS_SECRETS.has(operationId), `${operationId} returned a webhook secret`);
        assert.ok(!secrets.has(secret), `${operationId} returned a secret a second time`);
        secrets.add(secret);
      }
      const codes = unsent(LIVE_CODE);
      // Two tenants that use the same idempotency key correctly get the same test codes, so those belong to no one.
      if (codes.length + unsent(TEST_CODE).length > 0)
        assert.ok(TELLS_CODES.has(operationId), `${operationId} returned a code`);
      for (const code of codes) claim(tenant, told, code);
      assert.deepEqual(unsent(API_KEY), [], `${operationId} returned an API key`);
      return fresh;
    },
  };
}
