import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../../testing/builders/builders.ts";
import { eventually } from "../../../testing/eventually.ts";
import { exchange, type RawReply } from "../../../testing/fuzz/raw-http.ts";
import { moveFunds } from "../../wallet/move-funds.ts";

let scrip: TestApp;
let port: number;
let key: string;
let readOnly: string;

before(async () => {
  scrip = await createTestApp({ rateLimits: { orders: 1_000, reads: 1_000 } });
  const { id: resellerId } = await scrip.addReseller();
  key = (await scrip.addKey(resellerId)).key;
  readOnly = (await scrip.addKey(resellerId, { scopes: ["orders:read"] })).key;
  await addProducts(scrip.db, [{ id: "card", name: "Kärtchen" }]);
  await addListPrice(scrip.db, { productId: "card", amountMinor: 2375n });
  const credit = { direction: "credit", amount: "3000.00", note: "top-up" } as const;
  await moveFunds(scrip.db, scrip.clock, { resellerId, environment: "live" }, credit);
  await scrip.app.listen({ host: "127.0.0.1", port: 0 });
  port = (scrip.app.server.address() as AddressInfo).port;
});

after(() => scrip.close());

type Asked = { method: string; url: string; key?: string; headers?: Record<string, string>; body?: string };

function toBytes({ method, url, key: apiKey = key, headers = {}, body }: Asked): Buffer {
  const lines = [
    `${method} ${url} HTTP/1.1`,
    "Host: localhost",
    ...(apiKey === "" ? [] : [`X-API-Key: ${apiKey}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined
      ? []
      : [
          ...(headers["Content-Type"] ? [] : ["Content-Type: application/json"]),
          `Content-Length: ${Buffer.byteLength(body)}`,
        ]),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
}

const place = (idempotencyKey: string, more: Partial<Asked> = {}): Asked => ({
  method: "POST",
  url: "/v1/orders",
  body: JSON.stringify({ lines: [{ productId: "card", quantity: 1 }] }),
  ...more,
  headers: { "Idempotency-Key": idempotencyKey, ...more.headers },
});

async function ask(asked: Asked): Promise<RawReply> {
  const { replies } = await exchange(port, toBytes(asked), { methods: [asked.method] });
  assert.equal(replies.length, 1);
  return replies[0] as RawReply;
}

/** An ignored header that a plain request does not have, so that Fastify answers. */
const throughFastify = (asked: Asked): Asked => ({ ...asked, headers: { ...asked.headers, TE: "trailers" } });

/** Node.js writes its own headers with capitals. */
const isDirect = ({ head }: RawReply): boolean => head.includes("\r\ndate: ");

/** What two replies to the same request have in common. Fastify ends the connection behind a body that it cannot read. */
function comparable({ status, headers, body }: RawReply): object {
  const { date: _, "x-request-id": id = "", ratelimit: __, "content-length": ___, ...others } = headers;
  const { connection: ____, "keep-alive": _____, ...rest } = others;
  assert.match(id, /^req_/);
  return { status, headers: rest, body: body.replaceAll(id, "(id)").replace(/"asOf":"[^"]*"/, '"asOf":""') };
}

const SAME: Record<string, () => Asked> = {
  "a replayed order": () => place("same-order"),
  "a body that is not JSON": () => place("same-1", { body: "{" }),
  "a body with a duplicate key": () => place("same-1", { body: '{"lines":[],"lines":[]}' }),
  "a body that is not UTF-8": () => place("same-1", { body: "\ufffd" }),
  "an unknown field": () => place("same-1", { body: '{"lines":[],"what":1}' }),
  "an unknown product": () => place("same-1", { body: '{"lines":[{"productId":"no","quantity":1}]}' }),
  "too many units": () => place("same-1", { body: '{"lines":[{"productId":"card","quantity":99}]}' }),
  "too little money": () => place("same-1", { body: LARGE }),
  "no idempotency key": () => ({ ...place(""), headers: {} }),
  "a parameter where none belongs": () => place("same-1", { url: "/v1/orders?limit=1" }),
  "a test scenario with a live key": () =>
    place("same-order", { headers: { "X-Test-Scenario": "nonsense" } }),
  "no key": () => place("same-1", { key: "" }),
  "an unknown key": () => place("same-1", { key: `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}` }),
  "a missing scope": () => place("same-1", { key: readOnly }),
  "a catalog page": () => ({ method: "GET", url: "/v1/catalog?limit=10" }),
  "a catalog page with a wrong limit": () => ({ method: "GET", url: "/v1/catalog?limit=-1" }),
  "a catalog page with an unknown parameter": () => ({ method: "GET", url: "/v1/catalog?colour=red" }),
  "a catalog page that the caller has": () => ({
    method: "GET",
    url: "/v1/catalog",
    headers: { "If-None-Match": "*" },
  }),
  "a product": () => ({ method: "GET", url: "/v1/products/card" }),
  "a product that is not there": () => ({ method: "GET", url: "/v1/products/none" }),
  "an order that is not there": () => ({ method: "GET", url: "/v1/orders/ord_none" }),
  "the balance": () => ({ method: "GET", url: "/v1/balance" }),
  "the balance by a bearer token": () => ({
    method: "GET",
    url: "/v1/balance",
    key: "",
    headers: { Authorization: `Bearer ${key}` },
  }),
};
const LARGE = JSON.stringify({
  lines: Array.from({ length: 20 }, () => ({ productId: "card", quantity: 10 })),
});

for (const [what, make] of Object.entries(SAME)) {
  test(`the same request gets the same reply with and without Fastify: ${what}`, async () => {
    await ask(place("same-order"));
    const [direct, routed] = [await ask(make()), await ask(throughFastify(make()))];
    assert.ok(isDirect(direct), "answered directly");
    assert.ok(!isDirect(routed), "answered by Fastify");
    assert.deepEqual(comparable(direct), comparable(routed));
    assert.equal(direct.headers["content-length"], routed.headers["content-length"]);
  });
}

test("an order that is placed directly is read directly and through Fastify", async () => {
  const placed = await ask(place("placed"));
  assert.equal(placed.status, 202);
  assert.equal(placed.headers["idempotent-replayed"], undefined);
  const { order } = JSON.parse(placed.body) as { order: { id: string } };
  assert.equal(placed.headers.location, `/v1/orders/${order.id}`);
  const read = { method: "GET", url: `/v1/orders/${order.id}` };
  const [direct, routed] = [await ask(read), await ask(throughFastify(read))];
  assert.ok(isDirect(direct) && !isDirect(routed));
  assert.deepEqual(comparable(direct), comparable(routed));
});

const ODD: Record<string, Buffer> = {
  "HTTP/1.0": Buffer.from(`GET /v1/balance HTTP/1.0\r\nHost: a\r\nX-API-Key: KEY\r\n\r\n`),
  "a header twice": Buffer.from(
    "GET /v1/balance HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\nA: 1\r\nA: 2\r\n\r\n",
  ),
  "two hosts": Buffer.from("GET /v1/balance HTTP/1.1\r\nHost: a\r\nHost: b\r\nX-API-Key: KEY\r\n\r\n"),
  "a chunked body": Buffer.from(
    "POST /v1/orders HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ),
  "a length and chunks": Buffer.from(
    "POST /v1/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ),
  "a folded header": Buffer.from(
    "GET /v1/balance HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\nA: 1\r\n 2\r\n\r\n",
  ),
  "line feeds alone": Buffer.from("GET /v1/balance HTTP/1.1\nHost: a\nX-API-Key: KEY\n\n"),
  "an escaped path": Buffer.from("GET /v1/b%61lance HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\n\r\n"),
  "the end of the connection": Buffer.from(
    "GET /v1/balance HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\nConnection: close\r\n\r\n",
  ),
  "a page": Buffer.from("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
  HEAD: Buffer.from("HEAD /v1/catalog HTTP/1.1\r\nHost: a\r\nX-API-Key: KEY\r\n\r\n"),
};

for (const [what, bytes] of Object.entries(ODD)) {
  test(`a request with ${what} is left to Node.js, also behind plain ones`, async () => {
    const odd = Buffer.from(bytes.toString().replace("KEY", key));
    const plain = toBytes({ method: "GET", url: "/v1/balance" });
    const methods = ["GET", "GET", what === "HEAD" ? "HEAD" : "GET"];
    const { replies } = await exchange(port, Buffer.concat([plain, plain, odd]), { methods });
    assert.deepEqual(replies.map(isDirect), [true, true, false]);
    assert.deepEqual(
      replies.slice(0, 2).map(({ status }) => status),
      [200, 200],
    );
  });
}

test("a connection that was handed over answers everything from then on, in order", async () => {
  const orders = Array.from({ length: 3 }, (_, index) => toBytes(place(`mixed-${index}`)));
  const bytes = Buffer.concat([
    orders[0] as Buffer,
    toBytes({ method: "GET", url: "/v1/webhooks" }),
    orders[1] as Buffer,
    orders[2] as Buffer,
  ]);
  const { replies } = await exchange(port, bytes, { methods: ["POST", "GET", "POST", "POST"] });
  assert.deepEqual(
    replies.map(({ status }) => status),
    [202, 200, 202, 202],
  );
  assert.deepEqual(replies.map(isDirect), [true, false, false, false]);
});

test("fifty orders that are sent ahead are answered in order", async () => {
  const keys = Array.from({ length: 50 }, (_, index) => `ahead-${index}`);
  const bytes = Buffer.concat(keys.map((one) => toBytes(place(one))));
  const { replies } = await exchange(port, bytes, { methods: keys.map(() => "POST") });
  assert.ok(replies.every((reply) => reply.status === 202 && isDirect(reply)));
  for (const [index, one] of keys.entries()) {
    const { replayed, ...again } = JSON.parse((await ask(place(one))).body);
    assert.deepEqual([replayed, again], [true, JSON.parse(replies[index]?.body ?? "")]);
  }
});

test("a quick request that arrives while a slow one is answered waits for its turn", async () => {
  const socket = connect(port, "127.0.0.1");
  const received: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  await scrip.db.transaction(async (tx) => {
    await tx.rows(sql`select from wallets for update`);
    socket.write(toBytes(place("slow")));
    await eventually("the order waits for the wallet", async () => {
      const rows = await scrip.db.rows(
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0 || undefined;
    });
    socket.write(toBytes({ method: "GET", url: "/v1/catalog" }));
    // By the time of a reply on another connection, this one could have had its own.
    for (let more = 0; more < 3; more += 1) await ask({ method: "GET", url: "/v1/catalog" });
    assert.equal(received.length, 0);
  });
  const statuses = () =>
    [
      ...Buffer.concat(received)
        .toString()
        .matchAll(/HTTP\/1\.1 (\d+)/g),
    ].map(([, code]) => code);
  await eventually("both replies are there", async () => statuses().length === 2 || undefined);
  assert.deepEqual(statuses(), ["202", "200"]);
  socket.destroy();
});

test("a body that comes behind its head is waited for; one that comes bit by bit is left to Node.js", async () => {
  for (const [pieces, direct] of [
    [2, true],
    [9, false],
  ] as const) {
    const bytes = toBytes(place(`pieces-${pieces}`));
    const headBytes = bytes.indexOf("\r\n\r\n") + 4;
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    socket.write(bytes.subarray(0, headBytes));
    const step = Math.ceil((bytes.length - headBytes) / (pieces - 1));
    for (let at = headBytes; at < bytes.length; at += step) {
      // The pieces must not arrive as one: a reply on another connection shows that the server has gone on.
      await ask({ method: "GET", url: "/v1/balance" });
      socket.write(bytes.subarray(at, at + step));
    }
    const [reply] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    assert.match(reply.toString(), /^HTTP\/1\.1 202 /);
    assert.equal(reply.toString().includes("\r\ndate: "), direct);
  }
});

test("a caller that closes its side still gets its replies", async () => {
  const bytes = Buffer.concat([toBytes(place("half-1")), toBytes(place("half-2"))]);
  const { replies } = await exchange(port, bytes, { methods: ["POST", "POST"], halfClose: true });
  assert.deepEqual(
    replies.map(({ status }) => status),
    [202, 202],
  );
  assert.equal(replies[1]?.headers.connection, "close");
});

test("a caller that leaves in the middle of a body is told, and nothing is placed", async () => {
  const bytes = toBytes(place("left"));
  const { replies } = await exchange(port, bytes.subarray(0, -3), { methods: ["POST"], halfClose: true });
  assert.equal(replies[0]?.status, 400);
  const { body } = await ask({ method: "GET", url: "/v1/orders?idempotencyKey=left" });
  assert.deepEqual(JSON.parse(body).data, []);
});

test("a server that closes ends idle connections and answers what is in progress", async () => {
  const closing = await createTestApp({ beside: scrip });
  await closing.app.listen({ host: "127.0.0.1", port: 0 });
  const at = (closing.app.server.address() as AddressInfo).port;
  const idle = connect(at, "127.0.0.1");
  const used = connect(at, "127.0.0.1");
  used.write(toBytes({ method: "GET", url: "/v1/balance" }));
  await Promise.all([once(idle, "connect"), once(used, "data")]);
  const ended = Promise.all([once(idle, "close"), once(used, "close")]);
  idle.resume();
  used.resume();
  await closing.close();
  await ended;
});
