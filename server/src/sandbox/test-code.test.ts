import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { testCode } from "./test-code.ts";

/** Written down once, so that both sides of this test cannot change together: tests of resellers hold such codes. */
const KNOWN = [
  ["invoice-1001", 0, 0, "TEST-1BZM-FBKQ-ENT0"],
  ["invoice-1001", 0, 1, "TEST-5SBW-YBZA-CMTG"],
  ["invoice-1001", 1, 0, "TEST-DR1N-N10X-04GR"],
  ["a:0", 0, 0, "TEST-S6XB-1PE8-TFS8"],
] as const;

test("a code is what CONTRACT 7 says, for keys, lines and units that were computed elsewhere", () => {
  for (const [key, lineIndex, unitIndex, code] of KNOWN)
    assert.equal(testCode(key, lineIndex, unitIndex), code);
});

test("it is the first 60 bits of SHA-256 in Crockford's base32, five at a time, most significant first", () => {
  for (let number = 0; number < 500; number += 1) {
    const [key, lineIndex, unitIndex] = [`key ${number}`, number % 50, number * 7];
    const digest = createHash("sha256").update(`${key}:${lineIndex}:${unitIndex}`).digest();
    const bits = [...digest].map((byte) => byte.toString(2).padStart(8, "0")).join("");
    const letters = Array.from(
      { length: 12 },
      (_, index) =>
        "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[Number.parseInt(bits.slice(index * 5, index * 5 + 5), 2)],
    ).join("");
    const code = testCode(key, lineIndex, unitIndex);
    assert.equal(code.replaceAll("-", ""), `TEST${letters}`);
    assert.match(code, /^TEST(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  }
});
