import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../lib/strict-json.ts";
import { INPUT_FIELDS_MAX, type InputFieldSpec, parseInputFieldSpecs } from "./input-field-spec.ts";

const parsed = (value: Json): InputFieldSpec[] => {
  const result = parseInputFieldSpecs(value);
  assert.ok("specs" in result, JSON.stringify(result));
  return result.specs;
};

/** The faults as "path: reason". */
const faultsOf = (value: Json): string[] => {
  const result = parseInputFieldSpecs(value);
  assert.ok("faults" in result, "no fault was found");
  return result.faults.map(({ path, reason }) => `${path}: ${reason}`);
};

const select = (key: string, ...options: Json[]): Json => ({ key, type: "select", options });

test("a minimal field gets every member", () => {
  assert.deepEqual(parsed([{ key: "playerId", type: "text" }, select("region", { value: "eu" })]), [
    { key: "playerId", type: "text", required: false, regex: "", options: [] },
    {
      key: "region",
      type: "select",
      required: false,
      regex: "",
      options: [{ value: "eu", label: "eu", parentValue: "" }],
    },
  ]);
});

test("a normalized list is unchanged", () => {
  const specs = parsed([
    { key: "id", type: "number", required: true, regex: "^[0-9]{6,12}$" },
    select("region", { value: "eu", label: "Europe" }),
    select("server", { value: "1", label: "One", parentValue: "eu" }),
  ]);
  assert.deepEqual(parsed(specs), specs);
});

test(`inputFields must be an array of at most ${INPUT_FIELDS_MAX} objects`, () => {
  assert.deepEqual(faultsOf({}), ["inputFields: must be an array, not an object"]);
  assert.deepEqual(faultsOf(["x"]), ["inputFields[0]: must be an object, not text"]);
  const fields = Array.from({ length: INPUT_FIELDS_MAX + 1 }, (_, index) => ({
    key: `k${index}`,
    type: "text",
  }));
  assert.equal(parsed(fields.slice(0, INPUT_FIELDS_MAX)).length, INPUT_FIELDS_MAX);
  assert.deepEqual(faultsOf(fields), ["inputFields: must have at most 64 fields, and has 65"]);
});

test("a key is 1–64 characters of A-Za-z0-9_.- and unique", () => {
  assert.equal(parsed([{ key: `a_.-9${"x".repeat(59)}`, type: "text" }]).length, 1);
  assert.deepEqual(faultsOf([{ type: "text" }]), ["inputFields[0].key: is required"]);
  assert.deepEqual(faultsOf([{ key: "", type: "text" }]), ["inputFields[0].key: must not be empty"]);
  assert.deepEqual(faultsOf([{ key: "x".repeat(65), type: "text" }]), [
    "inputFields[0].key: must have at most 64 characters",
  ]);
  assert.match(faultsOf([{ key: "a b", type: "text" }]).join(), /key: can contain only/);
  const twice = { key: "a", type: "text" };
  assert.deepEqual(faultsOf([twice, twice]), ['inputFields[1].key: duplicate key "a"']);
});

test("the type is text, number or select, and required a boolean", () => {
  assert.deepEqual(faultsOf([{ key: "a", type: "email" }]), [
    "inputFields[0].type: must be text or number or select",
  ]);
  assert.deepEqual(faultsOf([{ key: "a" }]), ["inputFields[0].type: is required: text or number or select"]);
  assert.deepEqual(faultsOf([{ key: "a", type: "text", required: "yes" }]), [
    "inputFields[0].required: must be true or false",
  ]);
});

test("unknown members are refused by name, in fields and in options", () => {
  const faults = faultsOf([{ ...(select("a", { value: "x", price: 1 }) as object), pattern: "x" }]);
  assert.match(faults[0] ?? "", /^inputFields\[0\]\.pattern: unknown member/);
  assert.match(faults[1] ?? "", /^inputFields\[0\]\.options\[0\]\.price: unknown member/);
});

test("a pattern must be valid RE2: no lookahead, no backreference, no unclosed bracket", () => {
  for (const regex of ["(?=a)b", "(a)\\1", "[a-", "a{2000}"]) {
    assert.match(faultsOf([{ key: "a", type: "text", regex }]).join(), /regex: is not a valid RE2 pattern/);
  }
  assert.deepEqual(parsed([{ key: "a", type: "text", regex: "(a+)+$" }])[0]?.regex, "(a+)+$");
});

test("a pattern that is too expensive is refused even if RE2 accepts it", () => {
  const regex = "(?:a?){1000}".repeat(42);
  assert.match(faultsOf([{ key: "a", type: "text", regex }]).join(), /regex: is too expensive/);
});

test("a pattern has at most 512 characters, and a select field has none", () => {
  assert.equal(parsed([{ key: "a", type: "text", regex: "x".repeat(512) }]).length, 1);
  assert.deepEqual(faultsOf([{ key: "a", type: "text", regex: "x".repeat(513) }]), [
    "inputFields[0].regex: must have at most 512 characters",
  ]);
  const field = { key: "a", type: "select", regex: "x", options: [{ value: "x" }] };
  assert.match(faultsOf([field]).join(), /regex: is only for text and number fields/);
});

test("a select field has 1–500 options, other fields have none", () => {
  const options = Array.from({ length: 501 }, (_, index) => ({ value: `v${index}` }));
  assert.equal(parsed([select("a", ...options.slice(0, 500))])[0]?.options.length, 500);
  assert.deepEqual(faultsOf([select("a", ...options)]), [
    "inputFields[0].options: must have at most 500 options, and has 501",
  ]);
  assert.deepEqual(faultsOf([select("a")]), [
    "inputFields[0].options: a select field needs at least one option",
  ]);
  assert.deepEqual(faultsOf([{ key: "a", type: "text", options: [{ value: "x" }] }]), [
    "inputFields[0].options: is only for select fields",
  ]);
  assert.deepEqual(faultsOf([{ key: "a", type: "text", options: null }]), [
    "inputFields[0].options: must be an array, not null (omit the member instead)",
  ]);
});

test("an option's value has 1–256 characters and is unique under its parent", () => {
  const options = [{ value: "" }, { value: "x".repeat(257) }, { label: "x" }, { value: 1 }];
  assert.deepEqual(faultsOf([select("a", ...options)]), [
    "inputFields[0].options[0].value: must not be empty",
    "inputFields[0].options[1].value: must have at most 256 characters",
    "inputFields[0].options[2].value: is required",
    "inputFields[0].options[3].value: must be text, not a number",
  ]);
  assert.deepEqual(faultsOf([select("a", { value: "x" }, { value: "x" })]), [
    'inputFields[0].options[1].value: duplicate value "x" under the same parentValue',
  ]);
  const servers = [
    { value: "1", parentValue: "eu" },
    { value: "1", parentValue: "us" },
  ];
  assert.equal(
    parsed([select("region", { value: "eu" }, { value: "us" }), select("server", ...servers)]).length,
    2,
  );
});

test("characters are counted as the database counts them", () => {
  assert.equal(parsed([select("a", { value: "🎮".repeat(256) })]).length, 1);
  assert.match(faultsOf([select("a", { value: "🎮".repeat(257) })]).join(), /at most 256/);
});

test("text that a form cannot show is refused", () => {
  assert.match(faultsOf([select("a", { value: "x\ny" })]).join(), /value: contains a line break/);
  assert.match(faultsOf([select("a", { value: "x", label: "\uFFFD" })]).join(), /label: contains U\+FFFD/);
});

test("a parentValue must be an option of the nearest earlier select field", () => {
  const region = select("region", { value: "eu" });
  const text: Json = { key: "name", type: "text" };
  const server = (parentValue: string): Json => select("server", { value: "1", parentValue });
  assert.equal(parsed([region, text, server("eu")]).length, 3);
  assert.deepEqual(faultsOf([region, server("us")]), [
    'inputFields[1].options[0].parentValue: "us" is not an option of the nearest earlier select field',
  ]);
  assert.deepEqual(faultsOf([server("eu"), region]), [
    "inputFields[0].options[0].parentValue: needs an earlier select field as its parent",
  ]);
  assert.deepEqual(faultsOf([region, select("shard", { value: "a" }), server("eu")]), [
    'inputFields[2].options[0].parentValue: "eu" is not an option of the nearest earlier select field',
  ]);
});
