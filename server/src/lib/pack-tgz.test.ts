import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { packTgz } from "./pack-tgz.ts";

const files = [
  { path: "package/a.txt", body: Buffer.from("one") },
  { path: "package/lib/b.bin", body: Buffer.alloc(200_000, "two ") },
  { path: "package/empty", body: Buffer.alloc(0) },
];

test("the archive's bytes are the same on every machine and Node.js version", () => {
  const digest = createHash("sha256").update(packTgz(files)).digest("hex");
  assert.equal(digest, "67eab7fbefa5433fbbe37e919b628d182433609aaa9d35f6289d5070bb2733f0");
});

test("gunzip restores the archive, across several stored blocks", () => {
  const tar = gunzipSync(packTgz(files));
  assert.equal(tar.length, 512 * (1 + 1) + 512 * (1 + Math.ceil(200_000 / 512)) + 512 + 1_024);
  assert.equal(tar.toString("latin1", 512, 515), "one");
});

test("a name that is too long for the format is refused", () => {
  assert.throws(() => packTgz([{ path: "x".repeat(101), body: Buffer.alloc(0) }]), /too long/);
});
