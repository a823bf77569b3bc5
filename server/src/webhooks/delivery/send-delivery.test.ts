import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { LOOPBACK } from "../../../testing/app/test-settings.ts";
import {
  type Answer,
  type HttpsReceiver,
  startHttpsReceiver,
} from "../../../testing/receivers/https-receiver.ts";
import {
  answerWith,
  drippedBody,
  drippedHeaders,
  endlessBody,
  gzipBomb,
  hang,
  hangUp,
  hugeHeaders,
  interimFlood,
  nonsense,
  ok,
  redirectTo,
  reset,
  secondAnswer,
  switchProtocols,
} from "../../../testing/receivers/receiver-answers.ts";
import { caCertificate } from "../../../testing/receivers/tls-fixture.ts";
import { createCheckedAgent } from "../addresses/checked-agent.ts";
import { type SendDeps, type SendLimits, type SendOutcome, sendDelivery } from "./send-delivery.ts";

/** Small, so that what never ends is seen to end. */
const SHORT: Partial<SendLimits> = { connectMs: 30_000, wallMs: 400 };
/** Not met by anything that ends by itself, however busy the machine is. */
const AMPLE: Partial<SendLimits> = { connectMs: 30_000, wallMs: 30_000 };
/** Far beyond the short limits, for a machine that is busy; far below what the other side would take. */
const BOUNDED_MS = 5_000;
const BODY = '{"id":"evt_1","note":"naïve  ☃"}';

let receiver: HttpsReceiver;
let deps: SendDeps;

before(async () => {
  receiver = await startHttpsReceiver(ok);
});
after(() => receiver.close());
beforeEach(() => {
  receiver.requests.length = 0;
  deps = { ...createDeps(), limits: AMPLE };
});

const createDeps = (lookup = async (): Promise<string[]> => ["127.0.0.1"]): SendDeps => ({
  agent: createCheckedAgent({ allowNetworks: LOOPBACK, lookup, ca: caCertificate }),
  allowNetworks: LOOPBACK,
});
const send = (url = receiver.url(), changes: Partial<SendDeps> = {}): Promise<SendOutcome> =>
  sendDelivery(
    { ...deps, ...changes },
    { url, body: BODY, headers: { "content-type": "application/json", "service-event-id": "evt_1" } },
  );
const told = ({ kind, responseStatus, error }: SendOutcome) => [kind, responseStatus, error];

test("a delivery is a POST of the exact bytes with the given headers, and 2xx is success", async () => {
  for (const status of [200, 201, 204, 299]) {
    receiver.answer = answerWith(status);
    assert.deepEqual(told(await send()), ["delivered", status, null]);
  }
  const [request] = receiver.requests;
  assert.ok(request);
  assert.deepEqual([request.method, request.path], ["POST", "/hook"]);
  assert.equal(request.body.toString(), BODY);
  assert.equal(request.headers["content-type"], "application/json");
  assert.equal(request.headers["service-event-id"], "evt_1");
  assert.equal(request.headers["content-length"], String(Buffer.byteLength(BODY)));
});

test("a connection is used again for the next delivery", async () => {
  receiver.answer = answerWith(200, {}, "some body");
  const before = receiver.connections();
  for (let go = 0; go < 5; go += 1) assert.equal((await send()).kind, "delivered");
  assert.equal(receiver.connections() - before, 1);
});

test("a new connection to a known receiver goes on with its TLS session", async () => {
  receiver.answer = answerWith(200, { connection: "close" });
  const [connections, resumed] = [receiver.connections(), receiver.resumed()];
  for (let go = 0; go < 3; go += 1) assert.equal((await send()).kind, "delivered");
  assert.equal(receiver.connections() - connections, 3);
  assert.equal(receiver.resumed() - resumed, 2);
});

test("a kept connection that turns out to be closed is not a failure: a new one is tried", async () => {
  receiver.answer = (...args) => (receiver.requests.length === 2 ? reset : ok)(...args);
  assert.deepEqual(told(await send()), ["delivered", 200, null]);
  assert.deepEqual(told(await send()), ["delivered", 200, null]);
  assert.equal(receiver.requests.length, 3);
});

test("any other status is a failure, and the receiver's answer is kept", async () => {
  for (const status of [300, 304, 400, 404, 410, 429, 500, 503, 599]) {
    receiver.answer = answerWith(
      status,
      { "X-Kind": "hushed", "Set-Cookie": "sid=1" },
      status === 304 ? "" : "no thanks",
    );
    const outcome = await send();
    assert.deepEqual(told(outcome), ["failed", status, null]);
    assert.equal(outcome.responseBody, status === 304 ? null : "no thanks");
    assert.match(outcome.responseHeaders ?? "", /^x-kind: hushed\nset-cookie: \(not kept\)/m);
  }
});

test("a redirect is a failure, and is not followed", async () => {
  const elsewhere = await startHttpsReceiver(ok);
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.answer = redirectTo(elsewhere.url(), status);
    assert.deepEqual(told(await send()), ["failed", status, null]);
  }
  assert.equal(elsewhere.connections(), 0);
  await elsewhere.close();
});

test("Retry-After is only read from failures", async () => {
  receiver.answer = answerWith(503, { "retry-after": "7" });
  assert.equal((await send()).retryAfterMs, 7_000);
  receiver.answer = answerWith(200, { "retry-after": "7" });
  assert.equal((await send()).retryAfterMs, undefined);
});

const HOSTILE: readonly [what: string, answer: Answer, outcome: ReturnType<typeof told>][] = [
  ["says nothing", hang, ["failed", null, "timeout"]],
  ["resets the connection", reset, ["failed", null, "connection_reset"]],
  ["hangs up", hangUp, ["failed", null, "connection_reset"]],
  ["drips headers", drippedHeaders, ["failed", null, "timeout"]],
  ["drips a body", drippedBody, ["failed", null, "timeout"]],
  ["sends interim answers without end", interimFlood, ["failed", null, "timeout"]],
  ["sends headers of a megabyte", hugeHeaders, ["failed", null, "bad_response"]],
  ["speaks no HTTP", nonsense, ["failed", null, "bad_response"]],
  ["switches protocols", switchProtocols, ["failed", null, "connection_reset"]],
  ["fails and goes on talking", endlessBody(500), ["failed", 500, null]],
  ["fails with a bomb", gzipBomb(500), ["failed", 500, null]],
  // They have said yes before they went on; what they go on with is not read.
  ["succeeds and goes on talking", endlessBody(200), ["delivered", 200, null]],
  ["succeeds with a bomb", gzipBomb(200), ["delivered", 200, null]],
];
for (const [what, answer, outcome] of HOSTILE) {
  test(`a receiver that ${what} is cut off at its limits of time and bytes`, async () => {
    receiver.answer = answer;
    const found = await send(receiver.url(), outcome[2] === "timeout" ? { limits: SHORT } : {});
    assert.deepEqual(told(found), outcome);
    assert.ok(found.latencyMs < BOUNDED_MS, `took ${found.latencyMs} ms`);
    assert.ok((found.responseBody ?? "").length <= 4_096);
    receiver.answer = ok;
    assert.deepEqual(told(await send()), ["delivered", 200, null]);
  });
}

test("an unrequested answer is not mistaken for that of the next delivery", async () => {
  receiver.answer = secondAnswer;
  assert.deepEqual(told(await send()), ["failed", 500, null]);
  receiver.answer = answerWith(410);
  const next = await send();
  assert.notEqual(next.kind, "delivered");
});

test("16 KiB of an answer are read and 4 KiB are kept", async () => {
  const say = (text: string, limits = AMPLE) => {
    receiver.answer = (response) => void response.writeHead(500).write(text);
    return send(receiver.url(), { limits });
  };
  assert.deepEqual(told(await say("a".repeat(16 * 1024), SHORT)), ["failed", null, "timeout"]);
  const full = await say("a".repeat(16 * 1024 + 1));
  assert.deepEqual(told(full), ["failed", 500, null]);
  assert.equal(full.responseBody, "a".repeat(4 * 1024));
  const cut = await say("☃".repeat(16 * 1024));
  assert.equal(cut.responseBody, `${"☃".repeat(1_365)}\ufffd`, "a character that was cut in two");
});

test("zeros in an answer are left out, because the database could not keep them", async () => {
  receiver.answer = answerWith(500, {}, "a\0b");
  assert.equal((await send()).responseBody, "ab");
});

test("a receiver that never completes the TLS handshake fails within the connect timeout", async () => {
  const closed = Promise.withResolvers<void>();
  const silent = createServer((socket) => socket.resume().on("close", closed.resolve));
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const outcome = await send(`https://127.0.0.1:${port}/`, { limits: { connectMs: 200, wallMs: 60_000 } });
  assert.deepEqual(told(outcome), ["failed", null, "connect_timeout"]);
  await closed.promise;
  silent.close();
});

test("a closed port is connection_refused, a name without addresses unresolved", async () => {
  const gone = await startHttpsReceiver(ok);
  await gone.close();
  assert.deepEqual(told(await send(gone.url())), ["failed", null, "connection_refused"]);
  const nowhere = createDeps(async () => []);
  assert.deepEqual(told(await send("https://nowhere.example/", nowhere)), ["failed", null, "unresolved"]);
  const broken = createDeps(async () => {
    throw new Error("SERVFAIL");
  });
  assert.deepEqual(told(await send("https://broken.example/", broken)), ["failed", null, "unresolved"]);
});

test("a certificate for another name, or from an unknown authority, is tls_error, and nothing is sent", async () => {
  receiver.answer = ok;
  assert.equal((await send(receiver.url("/hook", "receiver.test"))).kind, "delivered");
  assert.deepEqual(told(await send(receiver.url("/hook", "other.example"))), ["failed", null, "tls_error"]);
  const strange = createCheckedAgent({ allowNetworks: LOOPBACK });
  assert.deepEqual(told(await send(receiver.url(), { agent: strange })), ["failed", null, "tls_error"]);
  assert.equal(receiver.requests.length, 1);
});

test("this machine's own faults count against no endpoint", async () => {
  for (const code of ["ENETDOWN", "ENETUNREACH", "EADDRNOTAVAIL", "EMFILE", "ENOBUFS", "ENOMEM"]) {
    const { agent } = createDeps();
    agent.createConnection = () => {
      throw Object.assign(new Error(code), { code });
    };
    assert.deepEqual(told(await send(receiver.url(), { agent })), ["own-fault", null, "own_fault"]);
  }
});
