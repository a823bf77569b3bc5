import assert from "node:assert/strict";
import { test } from "node:test";
import { renderHtml } from "../template/html.ts";
import { checkboxesField, checkboxField, radioField, selectField } from "./choice-fields.ts";
import { defineForm, refuseForm, type ValuesOf } from "./define-form.ts";
import { amountField, dateField, numberField } from "./number-fields.ts";
import { FORM_FIELDS_MAX, FORM_MAX_BYTES, parseFormBody } from "./parse-form-body.ts";
import { hiddenField, passwordField, textareaField, textField } from "./text-fields.ts";

const parse = (text: string) => parseFormBody(Buffer.from(text));

test("a body is read with its duplicates, line breaks and plus signs", () => {
  const body = parse("a=1&a=2&b=x+y%2B&c=%0D%0Aline&d&=e&&f=%C3%A9");
  assert.deepEqual(Object.fromEntries(body), {
    a: ["1", "2"],
    b: ["x y+"],
    c: ["\nline"],
    d: [""],
    "": ["e"],
    f: ["é"],
  });
  assert.equal(parse("").size, 0);
});

test("a body that cannot be read, or is too much, is refused", () => {
  for (const bad of ["a=%", "a=%zz", "a=%ff", "%ff=1", `${"n".repeat(101)}=1`])
    assert.throws(() => parse(bad), { code: "invalid_request" });
  assert.throws(() => parse(`a=${"x".repeat(FORM_MAX_BYTES)}`), { code: "payload_too_large" });
  const many = (count: number) => Array.from({ length: count }, () => "a=1").join("&");
  assert.equal(parse(many(FORM_FIELDS_MAX)).get("a")?.length, FORM_FIELDS_MAX);
  assert.throws(() => parse(many(FORM_FIELDS_MAX + 1)), { code: "invalid_request" });
});

const form = defineForm({
  name: textField({
    label: "Name",
    required: true,
    maxLength: 10,
    check: (text) => (text === "no" ? "Not this one." : undefined),
  }),
  note: textareaField({ label: "Note" }),
  kind: selectField({ label: "Kind", choices: [{ value: "live", label: "Live" }] }),
  scopes: checkboxesField({
    label: "Scopes",
    required: true,
    choices: [
      { value: "a", label: "A" },
      { value: "b", label: "B" },
    ],
  }),
  ends: radioField({
    label: "Ends",
    choices: [
      { value: "now", label: "Now" },
      { value: "later", label: "Later" },
    ],
  }),
  limit: amountField({ label: "Limit", currency: "USD", maxMinor: 1_000_000n }),
  hours: numberField({ label: "Hours", min: 0, max: 72 }),
  day: dateField({ label: "Day" }),
  password: passwordField({ label: "Password", autocomplete: "current-password" }),
  agreed: checkboxField({ label: "Agreed" }),
  from: hiddenField("From"),
});
const FINE = "name=+shop+&scopes=b&scopes=a&ends=now";

test("fine fields become typed values", () => {
  const { values } = form.read(
    parse(`${FINE}&kind=live&limit=1,234.50&hours=24&day=2030-01-31&agreed=yes&password=+p+&note=a%0D%0Ab`),
  );
  const expected: ValuesOf<typeof form.fields> = {
    name: "shop",
    note: "a\nb",
    kind: "live",
    scopes: ["a", "b"],
    ends: "now",
    limit: 123_450n,
    hours: 24,
    day: new Date("2030-01-31T00:00:00Z"),
    password: " p ",
    agreed: true,
    from: "",
  };
  assert.deepEqual(values, expected);
});

test("what is left empty is undefined, empty or false", () => {
  const { values } = form.read(parse(FINE));
  assert.deepEqual(
    [values?.kind, values?.limit, values?.hours, values?.day, values?.agreed],
    [undefined, undefined, undefined, undefined, false],
  );
});

test("each wrong field has its own error, and what was typed is kept", () => {
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ["name=", "name", /Name is required/],
    ["name=aaaaaaaaaaa", "name", /11 characters long. Use at most 10/],
    ["name=a%00b", "name", /cannot be seen/],
    ["name=a%E2%80%AEb", "name", /cannot be seen/],
    ["name=a%0Ab", "name", /cannot be seen/],
    ["name=a&name=b", "name", /more than once/],
    ["name=no", "name", /Not this one/],
    ["note=a%00", "note", /cannot be seen/],
    ["kind=other", "kind", /one of the options/],
    ["scopes=c", "scopes", /from the options/],
    ["ends=never", "ends", /one of the options/],
    ["limit=1.005", "limit", /such as 25.00/],
    ["limit=1e3", "limit", /such as 25.00/],
    ["limit=-1", "limit", /such as 25.00/],
    ["limit=0", "limit", /at least 0.01 USD/],
    ["limit=10000.01", "limit", /at most 10000.00 USD/],
    ["hours=73", "hours", /from 0 to 72/],
    ["hours=1.5", "hours", /from 0 to 72/],
    ["day=2030-02-31", "day", /such as 2030-01-31/],
  ];
  for (const [text, name, error] of wrong) {
    const others = FINE.split("&")
      .filter((pair) => !pair.startsWith(`${name}=`))
      .join("&");
    const { values, state } = form.read(parse(`${text}&${others}`));
    assert.equal(values, undefined, text);
    assert.match(state.errors[name] ?? "", error, text);
    assert.deepEqual(Object.keys(state.errors), [name], text);
  }
});

test("a refused form shows what was typed and the error at its field, but never a password", () => {
  const { state } = form.read(
    parse(`name=%3Cb%3E%22too+long+for+it&password=hunter2hunter2&${FINE.split("&").slice(1).join("&")}`),
  );
  const markup = renderHtml(form.render({ action: "/x", hidden: "", state, submit: "Save", id: "f" }));
  assert.ok(markup.includes('value="&lt;b&gt;&quot;too long for it"'));
  assert.ok(markup.includes('id="f-name" required aria-invalid="true" aria-describedby="f-name-error"'));
  assert.ok(markup.includes('<p class="error" id="f-name-error">'));
  assert.ok(markup.includes('role="alert"') && markup.includes('href="#f-name"'));
  assert.equal(markup.includes("hunter2"), false);
  assert.ok(markup.includes('value="a" checked') && markup.includes('value="b" checked'));
});

test("what a verb refuses is shown at the fields that it names, or above the form", () => {
  const { state } = form.read(parse(FINE));
  const detail = "Another key has this name.";
  assert.deepEqual(
    refuseForm(state, form.fields, "No.", [{ pointer: "/name", code: "taken", detail }]).errors,
    { name: detail },
  );
  assert.equal(
    refuseForm(state, form.fields, "No.", [{ pointer: "/elsewhere", code: "x", detail }]).formError,
    "No.",
  );
  assert.equal(refuseForm(state, form.fields, "No.").formError, "No.");
});
