import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { eventually } from "../../../testing/eventually.ts";
import { type ConnectProxy, startConnectProxy } from "../../../testing/receivers/connect-proxy.ts";
import { type HttpsReceiver, startHttpsReceiver } from "../../../testing/receivers/https-receiver.ts";
import { ok } from "../../../testing/receivers/receiver-answers.ts";
import { caCertificate } from "../../../testing/receivers/tls-fixture.ts";
import { type IpRange, parseIpRange } from "../../lib/ip.ts";
import { secret } from "../../lib/secret.ts";
import { sendDelivery } from "../delivery/send-delivery.ts";
import { askProxy } from "./ask-proxy.ts";
import { createCheckedAgent } from "./checked-agent.ts";
import { connectThroughProxy } from "./connect-through-proxy.ts";

/** Allowed here, so that the reserved name of the certificate may be used; nothing is ever connected to there. */
const OUTSIDE = [parseIpRange("203.0.113.0/24"), parseIpRange("2001:db8::/32")] as IpRange[];
const ADDRESS = "203.0.113.7";

let receiver: HttpsReceiver;
let proxy: ConnectProxy;
before(async () => {
  receiver = await startHttpsReceiver(ok);
});
after(() => receiver.close());
beforeEach(async () => {
  receiver.requests.length = 0;
  proxy = await startConnectProxy(() => ({ port: receiver.port }));
});
afterEach(() => proxy.close());

test("the proxy sees the checked address; only the endpoint sees name and body", async () => {
  const { kind, responseStatus } = await send({ addresses: [ADDRESS] });
  assert.deepEqual([kind, responseStatus], ["delivered", 200]);
  assert.deepEqual(
    proxy.asked.map(({ target, headers }) => [target, headers.host]),
    [[`${ADDRESS}:8443`, `${ADDRESS}:8443`]],
  );
  assert.equal(proxy.asked[0]?.headers["proxy-authorization"], undefined);
  assert.equal(receiver.requests[0]?.headers.host, "receiver.test:8443");
  assert.equal(receiver.requests[0]?.body.toString(), "the body");
  assert.equal(proxy.passed().includes("the body"), false);
});

test("an IPv6 address is asked for in brackets", async () => {
  await send({ addresses: ["2001:db8::7"] });
  assert.equal(proxy.asked[0]?.target, "[2001:db8::7]:8443");
});

test("credentials go to the proxy only", async () => {
  const { kind } = await send({ addresses: [ADDRESS], credentials: "us%40er:p%3Ass@" });
  assert.equal(kind, "delivered");
  const expected = `Basic ${Buffer.from("us@er:p:ss").toString("base64")}`;
  assert.equal(proxy.asked[0]?.headers["proxy-authorization"], expected);
  assert.equal(receiver.requests[0]?.headers["proxy-authorization"], undefined);
});

test("a name or address that is not allowed never reaches the proxy", async () => {
  for (const addresses of [["127.0.0.1"], [ADDRESS, "10.0.0.1"], ["::ffff:203.0.113.7"], []]) {
    const { kind, error } = await send({ addresses });
    assert.equal(kind, "failed");
    assert.match(error ?? "", /^(address_refused|unresolved)$/);
  }
  for (const host of ["127.0.0.1", "[::1]", "10.1.1.1"]) {
    assert.equal((await send({ addresses: [ADDRESS], host })).kind, "failed", host);
  }
  assert.deepEqual(proxy.asked, []);
});

test("each new connection is checked; a reused one goes to the same address", async () => {
  const answers = [[ADDRESS], ["127.0.0.1"]];
  const agent = agentFor({ lookup: async () => answers.shift() ?? [], ca: caCertificate });
  const first = await sendBy(agent);
  const second = await sendBy(agent);
  assert.deepEqual([first.kind, second.kind], ["delivered", "delivered"]);
  assert.equal(proxy.asked.length, 1);
  agent.destroy();
  const third = await sendBy(agent);
  assert.deepEqual([third.kind, third.error], ["failed", "address_refused"]);
  assert.equal(proxy.asked.length, 1);
});

test("the certificate is verified for the name, and by known authorities", async () => {
  const other = await send({ addresses: [ADDRESS], host: "other.test" });
  assert.deepEqual([other.kind, other.error], ["failed", "tls_error"]);
  const literal = await send({ addresses: [], host: ADDRESS });
  assert.deepEqual([literal.kind, literal.error], ["failed", "tls_error"]);
  const unknown = await send({ addresses: [ADDRESS], ca: undefined });
  assert.deepEqual([unknown.kind, unknown.error], ["failed", "tls_error"]);
  assert.equal(receiver.requests.length, 0);
});

test("when the proxy cannot reach one address the next is tried", async () => {
  proxy.route = (target) => (target.startsWith(ADDRESS) ? { status: 503 } : { port: receiver.port });
  assert.equal((await send({ addresses: [ADDRESS, "203.0.113.8"] })).kind, "delivered");
  assert.deepEqual(
    proxy.asked.map(({ target }) => target),
    [`${ADDRESS}:8443`, "203.0.113.8:8443"],
  );
});

test("a failure of the endpoint counts against it", async () => {
  for (const status of [502, 503, 504]) {
    proxy.route = () => ({ status });
    const { kind, error } = await send({ addresses: [ADDRESS] });
    assert.deepEqual([kind, error], ["failed", "unreachable"]);
  }
});

test("a proxy that refuses us or is down counts against no endpoint", async () => {
  for (const status of [400, 403, 407, 500]) {
    proxy.route = () => ({ status });
    assert.equal((await send({ addresses: [ADDRESS] })).kind, "own-fault", String(status));
  }
  const agent = agentFor({ lookup: async () => [ADDRESS] });
  await proxy.close();
  assert.equal((await sendBy(agent)).kind, "own-fault");
  proxy = await startConnectProxy(() => "silent");
});

test("a silent proxy times out with the attempt", async () => {
  proxy.route = () => "silent";
  const agent = agentFor({ lookup: async () => [ADDRESS] });
  const { kind, error } = await sendBy(agent, "receiver.test", 100);
  assert.deepEqual([kind, error], ["failed", "timeout"]);
});

test("a proxy that was not reached in time counts against no endpoint", async () => {
  const url = secret(`http://127.0.0.1:${proxy.port}/`);
  const late = AbortSignal.abort(new Error("late"));
  await assert.rejects(askProxy({ url }, { address: ADDRESS, port: 8443 }, late), { code: "ENETDOWN" });
});

test("a connection has one timeout for all of its steps, and leaves nothing open", async (context) => {
  const silent = createServer((socket) => void socket.resume()).listen(0, "127.0.0.1");
  context.after(() => silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const url = secret(`http://127.0.0.1:${proxy.port}/`);
  for (const route of [() => "silent" as const, () => ({ port })]) {
    proxy.route = route;
    const connect = connectThroughProxy({ url }, async () => [ADDRESS, "203.0.113.8"], 100);
    const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
      connect({ host: "receiver.test", port: 8443 }, resolve);
    });
    assert.equal(error?.code, "ETIMEDOUT");
    await eventually("all is closed", async () => (proxy.open() === 0 ? true : undefined));
  }
});

type AgentChanges = {
  lookup: (name: string) => Promise<readonly string[]>;
  credentials?: string;
  ca?: string | undefined;
};

const agentFor = ({ lookup, credentials = "", ca }: AgentChanges) =>
  createCheckedAgent({
    allowNetworks: OUTSIDE,
    lookup,
    ca,
    proxyUrl: secret(`http://${credentials}127.0.0.1:${proxy.port}/`),
  });

const sendBy = (agent: ReturnType<typeof agentFor>, host = "receiver.test", wallMs = 2_000) =>
  sendDelivery(
    { agent, allowNetworks: OUTSIDE, limits: { connectMs: 1_000, wallMs } },
    { url: `https://${host}:8443/hook`, headers: {}, body: "the body" },
  );

async function send(attempt: {
  addresses: readonly string[];
  host?: string;
  credentials?: string;
  ca?: string | undefined;
}) {
  const { addresses, host, credentials, ca } = { ca: caCertificate, ...attempt };
  const agent = agentFor({ lookup: async () => addresses, ca, ...(credentials ? { credentials } : {}) });
  try {
    return await sendBy(agent, host);
  } finally {
    agent.destroy();
  }
}
