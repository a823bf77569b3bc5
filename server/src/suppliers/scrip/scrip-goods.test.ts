import assert from "node:assert/strict";
import { test } from "node:test";
import { toScripGoods } from "./scrip-goods.ts";

const BASE = { id: "cod_1", lineIndex: 0, productId: "card", deliveredAt: "2030-01-01T00:00:00.000Z" };
const goods = (entry: { type: string; [name: string]: string }) => toScripGoods({ ...BASE, ...entry });
const URL_TEXT = "https://redeem.example/a?b=c#d";

test("goods of each type keep what belongs to them and nothing else", () => {
  const extras = { pin: "12", serial: "34", expiresAt: "2031-01-01T00:00:00.000Z" };
  assert.deepEqual(goods({ type: "code", code: "AB CD-ü", ...extras }), {
    type: "code",
    code: "AB CD-ü",
    ...extras,
  });
  assert.deepEqual(goods({ type: "url", url: URL_TEXT, ...extras }), {
    type: "url",
    url: URL_TEXT,
    ...extras,
  });
  assert.deepEqual(goods({ type: "topup", receipt: "R-1", ...extras }), { type: "topup", receipt: "R-1" });
  assert.deepEqual(goods({ type: "code", code: "A", newMember: "x" }), { type: "code", code: "A" });
});

test("a time of expiry is written as ours are", () => {
  const expiresAt = (text: string) => goods({ type: "code", code: "A", expiresAt: text });
  assert.deepEqual(expiresAt("2031-01-01T01:00:00+01:00"), {
    type: "code",
    code: "A",
    expiresAt: "2031-01-01T00:00:00.000Z",
  });
  for (const text of [
    "",
    "soon",
    "2031-01-01",
    "2031-02-31T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59-12:00",
  ]) {
    assert.equal(expiresAt(text), "nonsense", text);
  }
});

test("goods of a sandbox are told apart, whatever their type", () => {
  assert.equal(goods({ type: "code", code: "TEST-AAAA-BBBB-CCCC" }), "sandbox");
  assert.equal(goods({ type: "topup", receipt: "TEST-AAAA-BBBB-CCCC" }), "sandbox");
  assert.equal(goods({ type: "url", url: "TEST-AAAA-BBBB-CCCC" }), "sandbox");
  assert.deepEqual(goods({ type: "code", code: "TESTING" }), { type: "code", code: "TESTING" });
});

test("goods that lack what their type names, or are of no known type, are nonsense", () => {
  for (const type of ["code", "url", "topup", "esim", "", "constructor"]) {
    const others = { code: "A", url: URL_TEXT, receipt: "R" };
    const { [type === "topup" ? "receipt" : (type as "code")]: _gone, ...rest } = others;
    assert.equal(goods({ type, ...rest }), "nonsense", type);
  }
});

test("text that is blank, too long, or holds a control character is nonsense in every place", () => {
  const bad = ["", "  ", "a".repeat(1_001), "a\0", "a\nb", "a\u007f", "a\u0085", "a\ud800"];
  for (const text of bad) {
    assert.equal(goods({ type: "code", code: text }), "nonsense", JSON.stringify(text));
    assert.equal(goods({ type: "topup", receipt: text }), "nonsense", JSON.stringify(text));
    assert.equal(goods({ type: "code", code: "A", pin: text }), "nonsense", JSON.stringify(text));
    assert.equal(goods({ type: "url", url: URL_TEXT, serial: text }), "nonsense", JSON.stringify(text));
  }
  assert.deepEqual(goods({ type: "code", code: "a".repeat(1_000) }), {
    type: "code",
    code: "a".repeat(1_000),
  });
});

test("a link is an http address of bounded length without space or control characters", () => {
  const long = (length: number) => `https://a.example/${"b".repeat(length - 18)}`;
  const bad = [
    "redeem.example",
    "javascript:alert(1)",
    "ftp://a.example",
    `${URL_TEXT} x`,
    `${URL_TEXT}\n`,
    long(2_049),
  ];
  for (const url of bad) assert.equal(goods({ type: "url", url }), "nonsense", url);
  for (const url of [long(2_048), "http://a.example"]) {
    assert.deepEqual(goods({ type: "url", url }), { type: "url", url });
  }
});
