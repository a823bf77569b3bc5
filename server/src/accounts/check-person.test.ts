import assert from "node:assert/strict";
import { test } from "node:test";
import { checkEmail, checkPersonName, checkRole } from "./check-person.ts";

test("an address is kept in lower case and NFC, without the space around it", () => {
  assert.equal(checkEmail("  Ana.Jose\u0301@Example.COM "), "ana.josé@example.com");
});

test("what is no single address is refused", () => {
  const wrong = [
    ..."a|@b|a@|a@b@c|a b@c.d|a@b.c, d@e.f|a@b.c;d@e.f|Name <a@b.c>|a@b.c\r\nBcc: d@e.f|a\u202e@b.c|a@[1.2.3.4]".split(
      "|",
    ),
    `${"a".repeat(65)}@b.c`,
    `a@${"b".repeat(251)}.c`,
    "a\u0000@b.c",
  ];
  for (const text of wrong)
    assert.throws(() => checkEmail(text), { code: "email_invalid", field: "email" }, text);
});

test("a name of 10,000 characters or of control characters is refused, and markup is text", () => {
  assert.throws(() => checkPersonName("x".repeat(10_000)), { code: "name_invalid" });
  assert.throws(() => checkPersonName("a\nb"), { code: "name_invalid" });
  assert.equal(checkPersonName(" <b>Ana</b> "), "<b>Ana</b>");
});

test("a role belongs to its kind", () => {
  assert.equal(checkRole("user", "owner"), "owner");
  assert.throws(() => checkRole("user", "admin"), /one of owner, developer, finance, support, viewer/);
  assert.throws(() => checkRole("staff", "owner"), { code: "role_invalid" });
});
