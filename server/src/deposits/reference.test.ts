import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createReference,
  findReferences,
  isReference,
  isTestReference,
  readReference,
  showReference,
} from "./reference.ts";

const one = createReference("live");
const other = createReference("live");

test("a reference has the check digits of ISO 11649, and says its environment", () => {
  assert.match(one, /^RF\d{2}D[0-9A-HJKMNP-TV-Z]{11}$/);
  assert.ok(isReference(one));
  assert.equal(isTestReference(one), false);
  assert.equal(isTestReference(createReference("test")), true);
  // A published example of the standard has another form of body, but the same digits.
  assert.equal(isReference("RF18539007547034"), false);
});

test("a wrong digit, a wrong letter and two swapped digits or letters are found", () => {
  const isDigit = (at: number): boolean => /\d/.test(one.charAt(at));
  for (let at = 2; at < one.length; at += 1) {
    const others = isDigit(at) ? "0123456789" : at === 4 ? "" : "ABCDEFGHJKMNPQRSTVWXYZ";
    for (const wrong of others.replace(one.charAt(at), ""))
      assert.equal(isReference(`${one.slice(0, at)}${wrong}${one.slice(at + 1)}`), false);
    if (at + 1 === one.length || isDigit(at) !== isDigit(at + 1)) continue;
    const swapped = `${one.slice(0, at)}${one.charAt(at + 1)}${one.charAt(at)}${one.slice(at + 2)}`;
    assert.equal(isReference(swapped), swapped === one);
  }
});

test("what people type is read: spaces, hyphens, lower case, O for 0 and l for 1", () => {
  assert.equal(showReference(one).length, 19);
  for (const typed of [
    one,
    showReference(one),
    one.toLowerCase(),
    showReference(one).replaceAll(" ", "-"),
    ` ${showReference(one).replaceAll(" ", "\u2013 ")}\n`,
    one.replaceAll("0", "O").replaceAll("1", "l"),
  ])
    assert.equal(readReference(typed), one, typed);
  for (const typed of ["", "RF", "RF18", `${one}0`, one.slice(0, -1), "x".repeat(5_000)])
    assert.equal(readReference(typed), undefined, typed.slice(0, 30));
});

test("references are found in what banks make of a remittance text", () => {
  const found = (text: string) => findReferences(text);
  assert.deepEqual(found(`Invoice 12 ${showReference(one)} thanks`).valid, [one]);
  assert.deepEqual(found(`/ROC/${one.toLowerCase()}//`).valid, [one]);
  assert.deepEqual(found(`PAYMENT${one}THANKS`).valid, [one]);
  assert.deepEqual(found(`${one} ${one}`).valid, [one]);
  assert.deepEqual(found(`${one}, ${other}`).valid.toSorted(), [one, other].toSorted());
  const last = one.at(-1) === "7" ? "8" : "7";
  assert.deepEqual(found(`ref ${one.slice(0, -1)}${last}`), { valid: [], hasWrongDigits: true });
  assert.deepEqual(found("Surf 12 tickets, perfect"), { valid: [], hasWrongDigits: false });
});
