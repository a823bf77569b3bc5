import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { eventually } from "../../../testing/eventually.ts";
import { generateKey } from "../../keys/key-format.ts";
import { revokeKey } from "../../keys/revoke-key.ts";
import { UsageError } from "../verb.ts";
import { listen } from "./listen.ts";
import { readListenOptions } from "./read-listen-options.ts";

let scrip: TestApp;
let apiUrl: string;
let resellerId: string;

before(async () => {
  scrip = await createTestApp();
  apiUrl = await scrip.app.listen({ host: "127.0.0.1", port: 0 });
  ({ id: resellerId } = await scrip.addReseller());
});
after(() => scrip.close());

/** In this process, forwarding to a port without a server. */
function startListening(apiKey: string, options: { events?: string; secret?: string } = {}) {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const settings = readListenOptions(
    { forwardTo: "http://127.0.0.1:9/", apiUrl, apiKey, ...options },
    {},
    Date.now(),
  );
  const stopping = new AbortController();
  return {
    said,
    stop: () => stopping.abort(),
    ready: () => eventually("it is ready", async () => said.some((line) => /^Ready/.test(line)) || undefined),
    ended: listen(settings, { print: say, tell: say }, stopping.signal),
  };
}

test("a key without webhooks:manage, or an unknown key, ends it before it is ready", async () => {
  const { key } = await scrip.addKey(resellerId, { env: "test", scopes: ["orders:read"] });
  const { ended, said } = startListening(key);
  await assert.rejects(ended, {
    message: /^the API key needs the scope webhooks:manage to read events \(403, forbidden, req_\w+\)$/,
  });
  assert.ok(!said.some((line) => /Ready/.test(line)));
  await assert.rejects(startListening(generateKey("live")).ended, { message: /^the API key is unknown/ });
});

test("a key that is revoked while it listens ends it", async () => {
  const { id, key } = await scrip.addKey(resellerId, { env: "test" });
  const { ended, ready } = startListening(key);
  const refused = assert.rejects(ended, { message: /^the API key is unknown, expired or revoked \(401/ });
  await ready();
  await revokeKey(scrip.db, scrip.clock, id);
  await refused;
});

test("an unknown event type is a usage error that lists the known types", async () => {
  const { key } = await scrip.addKey(resellerId, { env: "test" });
  const { ended } = startListening(key, { events: "order.fulfilled,order.lost" });
  await assert.rejects(
    ended,
    (error: Error) =>
      error instanceof UsageError &&
      error.message ===
        "--events contains an unknown type; known types: order.fulfilled, order.refunded, deposit.credited, webhook.test, wallet.low, endpoint.disabled, key.created, key.revoked, catalog.changed",
  );
});

test("it prints its settings, prints only a generated secret, warns about live events and stops when asked", async () => {
  const said = async (env: "live" | "test", secret?: string) => {
    const { key } = await scrip.addKey(resellerId, { env });
    const listening = startListening(key, secret === undefined ? {} : { secret });
    await listening.ready();
    listening.stop();
    await listening.ended;
    return listening.said.join("\n").replace(/whsec_[A-Za-z0-9+/]{43}=/, "whsec_new");
  };
  const where = (what: string) =>
    `Listening to ${what} events at ${apiUrl}, forwarding to http://127.0.0.1:9/`;
  assert.equal(
    await said("test"),
    `${where("sandbox")}\nSigning secret for this session: whsec_new\nReady. Press Ctrl-C to stop.\n0 events forwarded.`,
  );
  assert.equal(
    await said("live", "whsec_given123"),
    `${where("live")}\nSigning with your secret.\n` +
      "Warning: these are live events of paid orders.\nReady. Press Ctrl-C to stop.\n0 events forwarded.",
  );
});
