import assert from "node:assert/strict";
import { once } from "node:events";
import { Socket } from "node:net";
import { after, before, test } from "node:test";
import { LOOPBACK } from "../../../testing/app/test-settings.ts";
import { type HttpsReceiver, startHttpsReceiver } from "../../../testing/receivers/https-receiver.ts";
import { ok } from "../../../testing/receivers/receiver-answers.ts";
import { caCertificate } from "../../../testing/receivers/tls-fixture.ts";
import { type IpRange, parseIpRange } from "../../lib/ip.ts";
import { sendDelivery } from "../delivery/send-delivery.ts";
import { createCheckedAgent, mayReach, refuseUnchecked } from "./checked-agent.ts";
import { resolveWebhookHost } from "./resolve-webhook-host.ts";

/** On loopback, where nothing may be sent to unless it is allowed. */
let honeypot: HttpsReceiver;
before(async () => {
  honeypot = await startHttpsReceiver(ok);
});
after(() => honeypot.close());

const PUBLIC = "93.184.216.34";

function send(
  url: string,
  lookup: (name: string) => Promise<string[]>,
  allowNetworks = [] as typeof LOOPBACK,
) {
  const agent = createCheckedAgent({ allowNetworks, lookup, ca: caCertificate });
  const limits = { connectMs: 300, wallMs: 600 };
  return sendDelivery({ agent, allowNetworks, limits }, { url, headers: {}, body: "{}" });
}

test("no spelling of loopback is reached while loopback is not allowed", async () => {
  const hosts = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "localhost",
    "localhost.",
    "a.localhost",
    "receiver.test",
  ];
  for (const host of hosts) {
    const { kind, error } = await send(honeypot.url("/", host), async () => ["127.0.0.1"]);
    assert.equal(kind, "failed", host);
    assert.match(error ?? "", /^(url_not_allowed|address_refused)$/, host);
  }
  assert.equal(honeypot.connections(), 0);
});

test("a name that resolves to a private address is refused, however many public addresses it has too", async () => {
  for (const answers of [
    ["127.0.0.1"],
    [PUBLIC, "127.0.0.1"],
    ["127.0.0.1", PUBLIC],
    ["::ffff:127.0.0.1"],
    ["::1"],
  ]) {
    const outcome = await send(honeypot.url("/", "shop.example"), async () => answers);
    assert.deepEqual([outcome.kind, outcome.error], ["failed", "address_refused"], answers.join());
  }
  assert.equal(honeypot.connections(), 0);
});

test("a name that was public at registration and is private at delivery is refused", async () => {
  let answers = [PUBLIC];
  const lookup = async () => answers;
  const registered = await resolveWebhookHost("rebind.example", { allowNetworks: [], lookup });
  assert.equal(registered.kind, "addresses");
  answers = ["127.0.0.1"];
  const outcome = await send(honeypot.url("/", "rebind.example"), lookup);
  assert.deepEqual([outcome.kind, outcome.error], ["failed", "address_refused"]);
  assert.equal(honeypot.connections(), 0);
});

test("the name is resolved once for each connection, so that no second answer can differ from the checked one", async () => {
  let asked = 0;
  const lookup = async () => {
    asked += 1;
    return asked === 1 ? ["203.0.113.9"] : ["127.0.0.1"];
  };
  // An address of the documentation, which nobody has, so that the test calls nobody.
  const outcome = await send(honeypot.url("/", "flip.example"), lookup, [
    parseIpRange("203.0.113.0/24") as IpRange,
  ]);
  assert.notEqual(outcome.kind, "delivered");
  assert.equal(asked, 1);
  assert.equal(honeypot.connections(), 0);
});

test("allowed networks are reached by address, and by a name that resolves only into them", async () => {
  const before = honeypot.connections();
  const byAddress = await send(honeypot.url(), async () => [], LOOPBACK);
  const byName = await send(honeypot.url("/", "receiver.test"), async () => ["127.0.0.1"], LOOPBACK);
  const mixed = await send(honeypot.url("/", "receiver.test"), async () => ["127.0.0.1", PUBLIC], LOOPBACK);
  assert.deepEqual([byAddress.kind, byName.kind, mixed.error], ["delivered", "delivered", "address_refused"]);
  assert.equal(honeypot.connections() - before, 2);
});

test("a socket that is connected to another address than expected is destroyed before anything is written", async () => {
  const before = honeypot.requests.length;
  const agent = createCheckedAgent({ allowNetworks: [], lookup: async () => [PUBLIC], ca: caCertificate });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => connect({ ...options, host: "127.0.0.1" }, callback);
  const outcome = await sendDelivery(
    { agent, allowNetworks: [], limits: { connectMs: 300, wallMs: 600 } },
    { url: honeypot.url("/", "shop.example"), headers: {}, body: "{}" },
  );
  assert.deepEqual([outcome.kind, outcome.error], ["failed", "address_refused"]);
  assert.equal(honeypot.requests.length, before);
});

test("a socket reaches public addresses and allowed networks, and none whose address is unknown", () => {
  const tries = [undefined, "", "127.0.0.1", "::ffff:127.0.0.1", "8.8.8.8"].map((address) => [
    mayReach(address, []),
    mayReach(address, LOOPBACK),
  ]);
  const never = [false, false];
  assert.deepEqual(tries, [never, never, [false, true], never, [true, true]]);
});

test("a socket that the receiver has reset is not taken for one with an address that is not allowed", async () => {
  const socket = new Socket();
  const failed = once(socket, "error");
  refuseUnchecked(socket, []);
  const [error] = await failed;
  assert.equal(error.code, "ECONNRESET");
  assert.ok(socket.destroyed);
});
