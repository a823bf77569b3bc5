import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { createHandClock } from "../../../testing/hand-clock.ts";
import { requestIdOf } from "../bamboo/request-id.ts";
import { REMOTE_KINDS } from "../registry.ts";
import { plainDecimal, sumUp } from "./decimal-amount.ts";
import { pauseAsked } from "./read-answer.ts";
import { isNamedOutright } from "./supplier-address.ts";
import { callSupplier } from "./supplier-http.ts";
import { createThrottle, limitFor } from "./throttle.ts";

const NOW = new Date("2030-01-01T00:00:00Z");

test("amounts are read exactly, and fractions of a minor unit are rounded up", () => {
  const cases: [string[], string, bigint | undefined][] = [
    [["0.1", "0.2"], "USD", 30n],
    [["9.1505", "0"], "USD", 916n],
    [["59.99"], "USD", 5_999n],
    [["1.10e1"], "USD", 1_100n],
    [["100"], "JPY", 100n],
    [["100.01"], "JPY", 101n],
    [["1.2345"], "KWD", 1_235n],
    [["-0.01"], "USD", undefined],
    [["1,00"], "USD", undefined],
    [["1"], "XX1", undefined],
  ];
  for (const [texts, currency, minor] of cases)
    assert.equal(sumUp(texts, currency)?.amountMinor, minor, `${texts} ${currency}`);
  assert.deepEqual(["10.0", "10.50", "1e2", "0", "-1", "x"].map(plainDecimal), [
    "10",
    "10.5",
    "100",
    ...[undefined, undefined, undefined],
  ]);
});

test("a request id of Bamboo is a GUID that depends on the reference alone", () => {
  assert.equal(requestIdOf("ord_1.0.0.1"), requestIdOf("ord_1.0.0.1"));
  assert.notEqual(requestIdOf("ord_1.0.0.1"), requestIdOf("ord_1.0.0.2"));
  assert.match(
    requestIdOf("ord_1.0.0.1"),
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test("calls are spread evenly, a pause holds them all, and a turn that comes too late is not taken", async () => {
  const clock = createHandClock(NOW);
  const throttle = createThrottle(2, 1, clock);
  const turn = () => throttle.turn({ ...limitFor(clock, 400), signal: AbortSignal.timeout(400) });
  assert.equal(await turn(), true);
  assert.equal(await turn(), false, "the next turn is in 500 ms, after the deadline");
  clock.advance(500);
  assert.equal(await turn(), true, "the turn that was not taken delays nobody");
  throttle.pause(60_000);
  clock.advance(30_000);
  assert.equal(await turn(), false);
  clock.advance(30_000);
  assert.equal(await turn(), true);
  const busy = { kind: "answer", status: 429, body: null, isEmpty: false } as const;
  assert.equal(pauseAsked({ ...busy, headers: { "retry-after": "7" } }), 7_000);
  assert.equal(pauseAsked({ ...busy, headers: {} }), 250);
  assert.equal(pauseAsked({ ...busy, status: 200, headers: {} }), undefined);
});

test("a public name that leads to a private address is refused; an address that the operator writes down is not", async () => {
  const outright = [
    "http://127.0.0.1:1",
    "https://10.0.0.7",
    "https://[fd00::1]",
    "https://suppliers.internal",
    "http://localhost:1",
  ];
  for (const url of outright) assert.ok(isNamedOutright(new URL(url)), url);
  assert.ok(!isNamedOutright(new URL("https://api.example.com")));
  for (const address of ["10.0.0.7", "127.0.0.1", "::ffff:10.0.0.7", "169.254.169.254"]) {
    const lookup = async () => ["203.0.113.9", address];
    const url = "https://api.example.com/";
    const answer = await callSupplier({ method: "GET", url, signal: AbortSignal.timeout(3_000), lookup });
    assert.deepEqual(answer, { kind: "lost", reason: "address_refused" }, address);
  }
});

test("no config sends credentials over plain http to another machine, or into an address", () => {
  for (const { kind, configFields, parseConfig } of REMOTE_KINDS.filter((one) => one.kind !== "scrip")) {
    const values = configFields.filter(({ required }) => required).map(({ key }) => [key, "17"]);
    const config = Object.fromEntries(values);
    assert.ok(parseConfig(config), kind);
    for (const baseUrl of [
      "http://api.example.com",
      "http://10.0.0.1",
      "ftp://x.example",
      "https://u:p@x.example",
      "https://x.example/?key=1",
      "nothing",
    ])
      assert.throws(() => parseConfig({ ...config, baseUrl }), RangeError, `${kind} ${baseUrl}`);
    assert.ok(parseConfig({ ...config, baseUrl: "http://127.0.0.1:9/" }));
    for (const { key, required } of configFields)
      if (required) assert.throws(() => parseConfig({ ...config, [key]: "" }), new RegExp(`lacks ${key}`));
  }
});

test("an answer is read as it is: gzip, numbers as text, no redirect, not too much, not for ever", async (t) => {
  const server = createServer((request, response) => {
    if (request.url === "/gzip")
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync('{"amount":1.10}'));
    else if (request.url === "/bomb")
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(9_000_000)));
    else if (request.url === "/away") response.writeHead(302, { location: "/gzip" }).end();
    else if (request.url === "/long") response.writeHead(200).end(" ".repeat(300_000));
    else if (request.url === "/twice") response.writeHead(200).end('{"id":1,"id":2}');
    else response.writeHead(200).write(" ");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = (path: string, ms = 10_000) =>
    callSupplier({ method: "GET", url: `${base}${path}`, signal: AbortSignal.timeout(ms) });
  const gzip = await call("/gzip");
  assert.deepEqual(gzip.kind === "answer" && { ...(gzip.body as object) }, { amount: "1.10" });
  assert.deepEqual(await call("/bomb"), { kind: "lost", reason: "too_long" });
  assert.deepEqual(await call("/long"), { kind: "lost", reason: "too_long" });
  const away = await call("/away");
  assert.ok(away.kind === "answer" && away.status === 302 && away.body === undefined);
  const twice = await call("/twice");
  assert.ok(twice.kind === "answer" && twice.body === undefined, "a duplicate member makes no sense");
  assert.deepEqual(await call("/never", 200), { kind: "lost", reason: "timeout" });
});
