import assert from "node:assert/strict";
import { LIVE_CODE } from "./fuzz-goods.ts";
import type { RawReply } from "./raw-http.ts";

/** One response: the operation, the words that were sent, and what came back. */
export type Told = { operationId: string; sent: () => string; reply: RawReply };

/** What a response contains that belongs to someone: ids with their prefixes, secrets, codes, keys, cursors. */
export type FoundWords = {
  ids: { id: string; prefix: string }[];
  secrets: string[];
  liveCodes: string[];
  testCodes: string[];
  keys: string[];
  cursor: string | undefined;
};

export type FuzzOwners = {
  /**
   * Returns whether it is new. Throws if it belongs to another tenant: the first tenant that receives something owns
   * it.
   */
  claim(tenant: string, told: Told, word: string): boolean;
  ownerOf(word: string): string | undefined;
  /** Throws for a secret, code or key that must not be there. Returns the secrets that are allowed. */
  checkSecrets(tenant: string, told: Told, found: FoundWords): string[];
};

/** One pass over a response finds all of them. Codes and cursors are only in bodies. */
const WORDS = new RegExp(
  [
    "\\b(ord|whk|evt|dlv|ent|cod|req|dep)_[0-9a-z]{26}\\b",
    "whsec_[A-Za-z0-9+/=]{8,}",
    LIVE_CODE.source,
    "TEST-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}",
    "sc_(?:live|test)_[0-9A-Za-z]{38}",
    '"nextCursor":"([^"]+)"',
  ].join("|"),
  "g",
);

export function findWords({ head, body }: RawReply): FoundWords {
  const found: FoundWords = {
    ids: [],
    secrets: [],
    liveCodes: [],
    testCodes: [],
    keys: [],
    cursor: undefined,
  };
  for (const text of [head, body])
    for (const [word, prefix, cursor] of text.matchAll(WORDS)) {
      if (prefix !== undefined) found.ids.push({ id: word, prefix });
      else if (cursor !== undefined) found.cursor = cursor;
      else if (word.startsWith("whsec_")) found.secrets.push(word);
      else if (word.startsWith("LIVECODE-")) found.liveCodes.push(word);
      else if (word.startsWith("TEST-")) found.testCodes.push(word);
      else found.keys.push(word);
    }
  return found;
}

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
    if (sent().includes(word)) return false;
    assert.equal(owner, undefined, `${operationId} returned ${tenant} of ${word}, which is ${owner}'s`);
    assert.ok(tenants.includes(tenant), `${operationId} returned ${word} to any caller`);
    owners.set(word, tenant);
    return true;
  };

  return {
    claim,
    ownerOf: (word) => owners.get(word),
    checkSecrets(tenant, told, found) {
      const { operationId, sent } = told;
      const unsent = (words: readonly string[]) => words.filter((word) => !sent().includes(word));
      const fresh = unsent(found.secrets);
      for (const secret of fresh) {
        assert.ok(TELLS_SECRETS.has(operationId), `${operationId} returned a webhook secret`);
        assert.ok(!secrets.has(secret), `${operationId} returned a secret a second time`);
        secrets.add(secret);
      }
      const codes = unsent(found.liveCodes);
      // Two tenants that use the same idempotency key correctly get the same test codes, so those belong to no one.
      if (codes.length + unsent(found.testCodes).length > 0)
        assert.ok(TELLS_CODES.has(operationId), `${operationId} returned a code`);
      for (const code of codes) claim(tenant, told, code);
      assert.equal(unsent(found.keys).length, 0, `${operationId} returned an API key`);
      return fresh;
    },
  };
}
