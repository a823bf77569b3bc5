import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../../testing/seed.ts";
import { type Json, parseStrictJsonText } from "../lib/strict-json.ts";
import type { InputFieldSpec } from "./input-field-spec.ts";
import { checkInputValues, INPUT_VALUE_MAX_CHARACTERS, toInputValues } from "./input-values.ts";

const AT = "/lines/3/inputFields";

const field = (key: string, changes: Partial<InputFieldSpec> = {}): InputFieldSpec => ({
  key,
  type: "text",
  required: false,
  regex: "",
  options: [],
  ...changes,
});

/** A select field. "eu-1<eu" is the option eu-1 with the parent value eu. */
const select = (key: string, ...options: string[]): InputFieldSpec =>
  field(key, {
    type: "select",
    options: options.map((text) => {
      const [value = "", parentValue = ""] = text.split("<");
      return { value, label: `Label of ${value}`, parentValue };
    }),
  });

/** The faults as "key: code", in the order in which they are reported. */
function faultsOf(specs: readonly InputFieldSpec[], given: { [key: string]: Json }): string[] {
  const { values, badKeys } = toInputValues(given);
  assert.deepEqual(badKeys, []);
  return checkInputValues(specs, values, AT).map(({ pointer, code, detail }) => {
    assert.ok(pointer.startsWith(`${AT}/`) && detail.length > 0);
    return `${pointer.slice(AT.length + 1)}: ${code}`;
  });
}

const accepts = (spec: InputFieldSpec, value: Json) =>
  assert.deepEqual(faultsOf([spec], { [spec.key]: value }), [], `${JSON.stringify(value)} for ${spec.regex}`);

const refuses = (spec: InputFieldSpec, value: Json) =>
  assert.deepEqual(faultsOf([spec], { [spec.key]: value }), [`${spec.key}: invalid`], JSON.stringify(value));

test("text is unchanged, and a whole number becomes its digits", () => {
  const given = parseStrictJsonText(
    '{"a":"007 ","b":7,"c":-7,"d":0,"e":-0,"f":1e3,"g":5.0,"h":9007199254740991,"i":"","j":"1.5"}',
  ) as { [key: string]: Json };
  const { values, badKeys } = toInputValues(given);
  assert.deepEqual(badKeys, []);
  const shown = Object.entries(values).map(([key, value]) => `${key}=${value}`);
  assert.equal(shown.join(), "a=007 ,b=7,c=-7,d=0,e=0,f=1000,g=5,h=9007199254740991,i=,j=1.5");
});

test("values other than text and whole numbers are reported by key", () => {
  const given = { a: 1.5, b: true, c: false, d: null, e: [], f: ["x"], g: {}, h: { value: "x" }, fine: "x" };
  assert.deepEqual(toInputValues(given).badKeys, ["a", "b", "c", "d", "e", "f", "g", "h"]);
});

test("a number and its digits are the same value", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (number) => {
      assert.deepEqual(toInputValues({ n: number }).values, toInputValues({ n: String(number) }).values);
    }),
    { seed: SEED },
  );
});

test("unknown keys are refused, including Object property names", () => {
  const specs = [field("playerId")];
  assert.deepEqual(faultsOf(specs, { playerId: "1", PlayerId: "1" }), ["PlayerId: unknown_field"]);
  assert.deepEqual(faultsOf([], { playerId: "1" }), ["playerId: unknown_field"]);
  const odd = parseStrictJsonText('{"__proto__":"1","constructor":"1","a/b~c":"1"}') as {
    [key: string]: Json;
  };
  assert.deepEqual(faultsOf(specs, odd), [
    "__proto__: unknown_field",
    "constructor: unknown_field",
    "a~1b~0c: unknown_field",
  ]);
});

test("a required field must be present and not empty; other fields are optional", () => {
  const specs = [
    field("playerId", { required: true }),
    field("nickname"),
    field("toString", { required: true }),
  ];
  assert.deepEqual(faultsOf(specs, { toString: "1" }), ["playerId: required"]);
  assert.deepEqual(faultsOf(specs, { playerId: "", toString: "1" }), ["playerId: required"]);
  assert.deepEqual(faultsOf(specs, { playerId: "1" }), ["toString: required"]);
  assert.deepEqual(faultsOf(specs, { playerId: 0, toString: "0", nickname: "" }), []);
});

test("a value must match the pattern, anchored where the pattern is anchored", () => {
  const digits = field("playerId", { regex: "^[0-9]{5,12}$" });
  for (const value of ["12345", "123456789012", 12345]) accepts(digits, value);
  for (const value of ["1234", "1234567890123", "12345\n", "\n12345", "12345 ", "１２３４５", -12345])
    refuses(digits, value);
  accepts(field("any", { regex: "[0-9]" }), "a1b");
  refuses(field("any", { regex: "[0-9]" }), "ab");
  accepts(field("word", { regex: "^\\pL+$" }), "Žluťoučký");
  accepts(field("case", { regex: "^(?i)eu$" }), "EU");
});

test("no pattern blocks the server, for any value", () => {
  const started = performance.now();
  for (const regex of ["(a+)+$", "^(a|a?)+$", "(.*)(.*)(.*)(.*)[b]$", "^(([a-z])+.)+[A-Z]([a-z])+$"]) {
    checkInputValues([field("x", { regex })], { x: `${"a".repeat(INPUT_VALUE_MAX_CHARACTERS - 1)}!` }, AT);
  }
  assert.ok(performance.now() - started < 2_000, "V8's own engine would never finish these");
});

test("a number field accepts digits, a sign and a fraction, and must match its pattern", () => {
  const number = field("level", { type: "number" });
  for (const value of ["0", "7", "-7", "007", "1.5", "-0.25", 42, "123456789012345678901234567890"])
    accepts(number, value);
  for (const value of [" 1", "1 ", "+1", "1.", ".5", "1e3", "0x10", "1,5", "--1", "NaN", "٣", "1\n"])
    refuses(number, value);
  refuses(field("level", { type: "number", regex: "^[1-9]$" }), 10);
});

test("an optional text or number that is sent empty counts as absent", () => {
  const specs = [field("note"), field("level", { type: "number" }), field("id", { regex: "^[0-9]+$" })];
  for (const spec of specs) {
    accepts(spec, "");
    assert.deepEqual(faultsOf([{ ...spec, required: true }], { [spec.key]: "" }), [`${spec.key}: required`]);
  }
});

test("the error for a refused value does not quote the product's pattern", () => {
  const [fault] = checkInputValues([field("playerId", { regex: "^[0-9]{5,12}$" })], { playerId: "x" }, AT);
  assert.equal(
    fault?.detail,
    'The value of "playerId" does not have the required format. See the pattern in the product\'s inputFields.',
  );
});

test("a value has at most 256 characters, counted as Unicode characters", () => {
  for (const spec of [field("x"), select("x", "😀".repeat(256))]) {
    accepts(spec, "😀".repeat(256));
    refuses(spec, "😀".repeat(257));
  }
});

test("a select field accepts the exact value of an option, not its label", () => {
  const region = select("region", "eu", "na", "1");
  for (const value of ["eu", "na", "1", 1]) accepts(region, value);
  for (const value of ["", "EU", "eu ", "Label of eu", "mars", "01"]) refuses(region, value);
});

test("a cascading option needs its parent value in the nearest earlier select field", () => {
  const specs = [select("region", "eu", "na"), field("note"), select("server", "any", "s1<eu", "s2<na")];
  assert.deepEqual(faultsOf(specs, { region: "eu", server: "s1" }), []);
  assert.deepEqual(faultsOf(specs, { region: "na", note: "eu", server: "s2" }), []);
  assert.deepEqual(faultsOf(specs, { region: "na", server: "s1" }), ["server: invalid"]);
  assert.deepEqual(faultsOf(specs, { note: "eu", server: "s1" }), ["server: invalid"]);
  assert.deepEqual(
    faultsOf(specs, { server: "any" }),
    [],
    "an option without a parent needs no parent value",
  );
  assert.deepEqual(faultsOf(specs, { region: "mars", server: "s1" }), ["region: invalid", "server: invalid"]);
});

test("a value can appear under several parents, and a cascade can have three levels", () => {
  const specs = [
    select("region", "eu", "na"),
    select("server", "s1<eu", "s1<na", "s2<na"),
    select("zone", "z<s2"),
  ];
  for (const region of ["eu", "na"]) assert.deepEqual(faultsOf(specs, { region, server: "s1" }), []);
  assert.deepEqual(faultsOf(specs, { region: "na", server: "s2", zone: "z" }), []);
  assert.deepEqual(faultsOf(specs, { region: "na", server: "s1", zone: "z" }), ["zone: invalid"]);
  assert.deepEqual(faultsOf(specs, { region: "na", zone: "z" }), ["zone: invalid"]);
});

test("the parent is never a later field, and never one before the nearest", () => {
  const later = [select("server", "s1<eu"), select("region", "eu")];
  assert.deepEqual(faultsOf(later, { region: "eu", server: "s1" }), ["server: invalid"]);
  const between = [select("region", "eu"), select("platform", "pc"), select("server", "s1<eu")];
  assert.deepEqual(faultsOf(between, { region: "eu", platform: "pc", server: "s1" }), ["server: invalid"]);
});

test("all faults are reported at once: unknown keys first, then in field order", () => {
  const specs = [field("a", { required: true }), field("b", { regex: "^x$" }), select("c", "x")];
  assert.deepEqual(faultsOf(specs, { c: "y", d: "y", b: "y" }), [
    "d: unknown_field",
    "a: required",
    "b: invalid",
    "c: invalid",
  ]);
});
