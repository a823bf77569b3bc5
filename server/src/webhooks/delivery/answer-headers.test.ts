import assert from "node:assert/strict";
import { test } from "node:test";
import { keepAnswerHeaders } from "./answer-headers.ts";

test("headers are kept one on each line, names in lower case", () => {
  assert.equal(
    keepAnswerHeaders(["Content-Type", "text/html", "Retry-After", "120"]),
    "content-type: text/html\nretry-after: 120",
  );
  assert.equal(keepAnswerHeaders([]), null);
});

test("what may hold a secret is named without its value", () => {
  const raw = [
    "Set-Cookie",
    "sid=hush",
    "WWW-Authenticate",
    "hush",
    "X-Api-Key",
    "hush",
    "X-Session-Id",
    "hush",
  ];
  const kept = keepAnswerHeaders([...raw, "X-Signature", "hush", "Server", "nginx"]);
  assert.doesNotMatch(kept ?? "", /hush/);
  assert.match(kept ?? "", /^set-cookie: \(not kept\)$/m);
  assert.match(kept ?? "", /^server: nginx$/m);
});

test("hostile headers stay within the limits and cannot add a line", () => {
  const many = Array.from({ length: 400 }, (_, index) => [`x-${index}`, "v".repeat(5_000)]).flat();
  const kept = keepAnswerHeaders(many) ?? "";
  assert.ok(kept.length <= 2_048 && kept.length > 1_500, String(kept.length));
  assert.equal(keepAnswerHeaders(["x-one", "a\nb\r\0\u0085c"]), "x-one: a?b???c");
});
