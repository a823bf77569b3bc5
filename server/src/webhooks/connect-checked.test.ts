import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { assertRemoteAddress, connectChecked, pinnedLookup, RemoteAddressError } from "./connect-checked.ts";
import { resolveWebhookHost } from "./resolve-webhook-host.ts";
import { parseWebhookUrl } from "./webhook-url.ts";

const LOOPBACK = "127.0.0.1";
/** Stands for a public address that was checked. It is documentation's, so that the test disturbs nobody. */
const ELSEWHERE = "192.0.2.1";

/** A server on loopback that counts who comes. */
let honeypot: Server;
let port: number;
let visitors: number;

before(async () => {
  honeypot = createServer((socket) => {
    visitors += 1;
    socket.on("error", () => {});
    socket.end();
  });
  honeypot.listen(0, LOOPBACK);
  await once(honeypot, "listening");
  port = (honeypot.address() as AddressInfo).port;
});
beforeEach(() => {
  visitors = 0;
});
after(() => honeypot.close());

test("a name that was public at registration and is loopback at delivery reaches nothing", async () => {
  const answers = [["93.184.215.14"], [LOOPBACK]];
  const lookup = async (): Promise<string[]> => answers.shift() ?? assert.fail("looked up a third time");
  const parsed = parseWebhookUrl(`https://rebind.example:${port}/`);
  assert.ok(parsed.ok);
  const atRegistration = await resolveWebhookHost(parsed.hostname, { allowNetworks: [], lookup });
  assert.equal(atRegistration.kind, "addresses");
  const atDelivery = await resolveWebhookHost(parsed.hostname, { allowNetworks: [], lookup });
  if (atDelivery.kind === "addresses") await attempt(parsed.url, atDelivery.addresses);
  assert.deepEqual(atDelivery, { kind: "refused" });
  assert.equal(await visitorsSoFar(), 0);
});

test("a request goes to the address that was checked, though the name now means loopback", async () => {
  // localhost is the name whose real answer is the honeypot, on every machine.
  const tried = await attempt(new URL(`https://localhost:${port}/`), [ELSEWHERE]);
  assert.equal(tried, ELSEWHERE);
  assert.equal(await visitorsSoFar(), 0);
});

test("the honeypot does notice a request that is let through", async () => {
  assert.equal(await attempt(new URL(`https://rebind.example:${port}/`), [LOOPBACK]), LOOPBACK);
  assert.equal(await visitorsSoFar(), 1);
});

test("a literal is connected to whatever was checked, so it is refused before, and noticed after", async () => {
  const url = `https://${LOOPBACK}:${port}/`;
  assert.deepEqual(parseWebhookUrl(url), { ok: false, reason: "not_public" });
  assert.deepEqual(await resolveWebhookHost(LOOPBACK, { allowNetworks: [] }), { kind: "refused" });
  const socket = connect({ host: LOOPBACK, port, ...connectChecked([ELSEWHERE]) });
  await once(socket, "connect");
  assert.throws(() => assertRemoteAddress(socket, [ELSEWHERE]), RemoteAddressError);
  assertRemoteAddress(socket, [ELSEWHERE, LOOPBACK]);
  socket.destroy();
});

test("a socket without a remote address, or with one that was not checked, is refused", () => {
  assertRemoteAddress({ remoteAddress: "2606:4700::1111" }, ["8.8.8.8", "2606:4700:0:0:0:0:0:1111"]);
  const others = [undefined, "", "8.8.4.4", "::ffff:8.8.8.8", "::808:808", "localhost"];
  for (const remoteAddress of others) {
    const socket = { remoteAddress } as Pick<Socket, "remoteAddress">;
    assert.throws(() => assertRemoteAddress(socket, ["8.8.8.8"]), RemoteAddressError, `${remoteAddress}`);
  }
  assert.throws(() => assertRemoteAddress({ remoteAddress: "8.8.8.8" }, []), RemoteAddressError);
});

test("the lookup answers with all addresses when all are wanted, and with the first when one is", async () => {
  const lookup = pinnedLookup(["8.8.8.8", "2606:4700::1111"]);
  const ask = (all: boolean): Promise<unknown[]> =>
    new Promise((answered) => lookup("any.example", { all }, (...answer) => answered(answer)));
  assert.deepEqual(await ask(true), [
    null,
    [
      { address: "8.8.8.8", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ],
  ]);
  assert.deepEqual(await ask(false), [null, "8.8.8.8", 4]);
});

test("no connection is pinned to nothing, or to a name", () => {
  assert.throws(() => pinnedLookup([]), RangeError);
  assert.throws(() => pinnedLookup(["8.8.8.8", "localhost"]), RangeError);
});

test("a request has a connection of its own", () => {
  assert.equal(connectChecked(["8.8.8.8"]).agent, false);
});

/** Sends an https request the way a delivery does, and tells the address that it tried to reach. */
async function attempt(url: URL, addresses: readonly string[]): Promise<string> {
  const outgoing = request(url, connectChecked(addresses));
  const tried = Promise.withResolvers<string>();
  outgoing.on("socket", (socket) => {
    socket.on("connectionAttempt", (address: string) => tried.resolve(address));
    socket.on("connectionAttemptFailed", (address: string) => tried.resolve(address));
    // The honeypot speaks no TLS: it is enough that it was reached.
    socket.on("connect", () => outgoing.destroy());
  });
  const ended = Promise.withResolvers<void>();
  outgoing.on("close", ended.resolve);
  outgoing.on("error", () => {});
  outgoing.end();
  const address = await tried.promise;
  if (address !== LOOPBACK) outgoing.destroy();
  await ended.promise;
  return address;
}

/** Visits the honeypot: connections are accepted in their order, so whoever came before has been counted by then. */
async function visitorsSoFar(): Promise<number> {
  const socket = connect(port, LOOPBACK);
  socket.resume();
  await once(socket, "close");
  return visitors - 1;
}
