import assert from "node:assert/strict";
import { test } from "node:test";
import * as letters from "./letters.ts";

const URLS = { dashboard: "https://api.example", console: "http://127.0.0.1:8081" };
const ANA = { kind: "user" as const, email: "ana@corner.example", role: "viewer" as const };
const AT = new Date("2030-01-02T03:04:05Z");
const HOSTILE = '<img src=x onerror="a()">\r\nBcc: b@evil.example\u202e';

const all = [
  letters.invitationLetter(
    ANA,
    { url: "https://api.example/dashboard/accept?token=abc", expiresAt: AT },
    HOSTILE,
  ),
  letters.resetLetter(ANA, { url: "https://api.example/dashboard/reset?token=abc", expiresAt: AT }),
  letters.newSignInLetter(URLS, ANA, { device: HOSTILE, address: "203.0.113.7", at: AT }),
  letters.passwordChangedLetter(URLS, ANA, AT),
  letters.factorChangedLetter(URLS, { ...ANA, kind: "staff" }, "A passkey was added.", AT),
  letters.teamChangedLetter(URLS, ANA, { email: "new@corner.example", role: "viewer", change: "joined" }),
  letters.teamChangedLetter(URLS, ANA, { email: "new@corner.example", role: "viewer", change: "removed" }),
  letters.removedLetter(ANA),
  ...(["created", "rolled", "widened"] as const).map((change) =>
    letters.keyChangedLetter(URLS, ANA, {
      ...{ hint: "sc_live_…4ET9", name: HOSTILE, by: "dev@corner.example", at: AT },
      change,
    }),
  ),
];

test("each letter says the same as text and as HTML, and loads nothing", () => {
  for (const { to, subject, text, html = "" } of all) {
    assert.equal(to, ANA.email);
    assert.ok(subject.length > 10 && text.length > 80, subject);
    assert.doesNotMatch(html, /<(?:img|script|link|iframe|style)\b|url\(/i);
    for (const url of html.matchAll(/(?:href|src)="([^"]*)"/g))
      assert.ok(
        Object.values(URLS).some((base) => url[1]?.startsWith(`${base}/`)),
        url[1],
      );
    const action = /(https?:\/\/\S+)/.exec(text)?.[1];
    if (action) assert.ok(html.includes(action));
  }
});

test("what others wrote is text, and cannot become a header", () => {
  for (const { subject, text, html = "" } of all) {
    assert.doesNotMatch(subject, /[\r\n\u202e]/);
    assert.doesNotMatch(text, /[\r\u202e]/);
    assert.doesNotMatch(html, /<img|\r|\u202e/);
  }
  assert.match(all[0]?.html ?? "", /&lt;img src=x onerror=&quot;a\(\)&quot;&gt;/);
});

test("a letter with a link is erased once sent and not sent once the link has expired; each has a cause of its own", () => {
  for (const { text, holdsSecret, expiresAt } of all)
    assert.deepEqual(
      [holdsSecret === true, expiresAt],
      text.includes("token=") ? [true, AT] : [false, undefined],
    );
  assert.equal(new Set(all.map(({ cause }) => cause)).size, all.length);
});
