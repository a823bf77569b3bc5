import assert from "node:assert/strict";
import { test } from "node:test";
import { base32, codeAt, findStep, stepAt, totpUri } from "./totp.ts";

const SECRET = Buffer.from("12345678901234567890");
const at = (seconds: number) => new Date(seconds * 1_000);

test("codes are those of RFC 6238, appendix B, in six digits", () => {
  const rows = [
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ] as const;
  for (const [seconds, code] of rows) assert.equal(codeAt(SECRET, stepAt(at(seconds))), code);
});

test("the step before and the one after are accepted, others are not", () => {
  const now = at(1_234_567_890);
  const step = stepAt(now);
  for (const near of [-1, 0, 1])
    assert.equal(findStep(SECRET, codeAt(SECRET, step + near), now, 0), step + near);
  for (const far of [-2, 2]) assert.equal(findStep(SECRET, codeAt(SECRET, step + far), now, 0), undefined);
});

test("a code of a step that was used, or an earlier one, is refused", () => {
  const now = at(1_234_567_890);
  const step = stepAt(now);
  assert.equal(findStep(SECRET, codeAt(SECRET, step), now, step), undefined);
  assert.equal(findStep(SECRET, codeAt(SECRET, step - 1), now, step), undefined);
  assert.equal(findStep(SECRET, codeAt(SECRET, step + 1), now, step), step + 1);
});

test("what is not six digits is refused", () => {
  for (const code of ["", "12345", "1234567", "12345a", "١٢٣٤٥٦"])
    assert.equal(findStep(SECRET, code, at(0), -9), undefined);
});

test("base32 is that of RFC 4648, and the address of the app is well formed", () => {
  const rows = [
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["foobar", "MZXW6YTBOI"],
  ] as const;
  for (const [text, encoded] of rows) assert.equal(base32(Buffer.from(text)), encoded);
  const uri = new URL(totpUri(SECRET, "Corner Shop & Co", "ana+x@corner.example"));
  assert.equal(uri.protocol, "otpauth:");
  assert.equal(uri.searchParams.get("secret"), base32(SECRET));
  assert.equal(uri.searchParams.get("issuer"), "Corner Shop & Co");
  assert.doesNotMatch(uri.href, /\+/);
});
