import assert from "node:assert/strict";
import { createHash, createHmac, createSecretKey } from "node:crypto";
import { test } from "node:test";
import { createCodeDigest } from "./code-digest.ts";

test("a digest is deterministic per code and key, and is not a plain hash", () => {
  const bytes = Buffer.alloc(32, 3);
  const digest = createCodeDigest(createSecretKey(bytes));
  assert.deepEqual(digest("ABCD"), createHmac("sha256", bytes).update("ABCD").digest());
  assert.notDeepEqual(digest("ABCD"), digest("ABCE"));
  assert.notDeepEqual(digest("ABCD"), createHash("sha256").update("ABCD").digest());
  assert.notDeepEqual(digest("ABCD"), createCodeDigest(createSecretKey(Buffer.alloc(32, 4)))("ABCD"));
});
