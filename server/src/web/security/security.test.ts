import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import { readCookie, serialiseCookie, sessionCookieName } from "./cookies.ts";
import { openFlash, sealFlash } from "./flash-cookie.ts";
import { isTokenOf, maskToken } from "./form-token.ts";
import { isSameOrigin, pageOrigin } from "./same-origin.ts";

const ORIGIN = "https://api.scrip.example";

test("a change must come from our own origin, by every header that there is", () => {
  const cases: readonly (readonly [Record<string, string>, boolean])[] = [
    [{ origin: ORIGIN, "sec-fetch-site": "same-origin" }, true],
    [{ origin: ORIGIN }, true],
    [{ "sec-fetch-site": "same-origin" }, true],
    [{}, false],
    [{ origin: "null" }, false],
    [{ origin: "null", "sec-fetch-site": "same-origin" }, false],
    [{ origin: "https://evil.example" }, false],
    [{ origin: "https://evil.example", "sec-fetch-site": "same-origin" }, false],
    [{ origin: "http://api.scrip.example" }, false],
    [{ origin: "https://api.scrip.example:8443" }, false],
    [{ origin: "https://sub.api.scrip.example", "sec-fetch-site": "same-site" }, false],
    [{ origin: ORIGIN, "sec-fetch-site": "same-site" }, false],
    [{ origin: ORIGIN, "sec-fetch-site": "cross-site" }, false],
    [{ "sec-fetch-site": "none" }, false],
  ];
  for (const [headers, expected] of cases)
    assert.equal(isSameOrigin(headers, ORIGIN), expected, JSON.stringify(headers));
});

test("the public URL decides the origin, and without one the Host does", () => {
  assert.equal(pageOrigin("https://api.scrip.example/base", "10.0.0.1:8080"), ORIGIN);
  assert.equal(pageOrigin(undefined, "localhost:8080"), "http://localhost:8080");
  assert.equal(pageOrigin(undefined, undefined), undefined);
  assert.equal(isSameOrigin({ origin: "undefined" }, undefined), false);
});

test("a token looks different in each form, and is compared whole", () => {
  const [first, second] = [maskToken("abc"), maskToken("abc")];
  assert.notEqual(first, second);
  assert.ok(isTokenOf(first, "abc") && isTokenOf(second, "abc"));
  for (const given of [
    maskToken("abd"),
    maskToken("ab"),
    maskToken("abcd"),
    "abc",
    "",
    undefined,
    "x".repeat(5_000),
  ])
    assert.equal(isTokenOf(given, "abc"), false);
  assert.equal(isTokenOf("", ""), false);
  assert.equal(isTokenOf(maskToken(""), ""), false);
});

test("the session's cookie is for this host alone, and no script reads it", () => {
  assert.equal(
    serialiseCookie(sessionCookieName(true), "v", { isSecure: true, maxAgeSeconds: 60 }),
    "__Host-scrip=v; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=60",
  );
  assert.equal(
    serialiseCookie(sessionCookieName(false), "v", { isSecure: false }),
    "scrip=v; Path=/; HttpOnly; SameSite=Lax",
  );
  for (const value of ["a;b", "a\r\nb", "a b", 'a"b', "a,b", "é"])
    assert.throws(() => serialiseCookie("scrip", value, { isSecure: false }), value);
});

test("a cookie that stands twice with different values is none", () => {
  assert.equal(readCookie("a=1; scrip=x; b=2", "scrip"), "x");
  assert.equal(readCookie("scrip=x; scrip=x", "scrip"), "x");
  assert.equal(readCookie("scrip=x; scrip=y", "scrip"), undefined);
  assert.equal(readCookie("xscrip=x; scrip-theme=dark", "scrip"), undefined);
  assert.equal(readCookie(undefined, "scrip"), undefined);
});

test("a sentence after a redirect is believed only as we wrote it and for its session", () => {
  const key = createSecretKey(Buffer.alloc(32, 1));
  const sealed = sealFlash(key, "token", { tone: "good", text: "Key ≤ created." });
  assert.deepEqual(openFlash(key, "token", sealed), { tone: "good", text: "Key ≤ created." });
  assert.equal(openFlash(key, "other", sealed), undefined);
  assert.equal(openFlash(createSecretKey(Buffer.alloc(32, 2)), "token", sealed), undefined);
  for (const broken of [undefined, "", ".", "x.y", `${sealed}x`, sealed.replace(/^./, "X")])
    assert.equal(openFlash(key, "token", broken), undefined, broken);
});
