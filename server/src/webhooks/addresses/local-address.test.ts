import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type HttpsReceiver, startHttpsReceiver } from "../../../testing/receivers/https-receiver.ts";
import { ok } from "../../../testing/receivers/receiver-answers.ts";
import { caCertificate } from "../../../testing/receivers/tls-fixture.ts";
import { type IpRange, parseIpRange } from "../../lib/ip.ts";
import { sendDelivery } from "../delivery/send-delivery.ts";
import { createCheckedAgent } from "./checked-agent.ts";

const LOOPBACK = [parseIpRange("127.0.0.0/8"), parseIpRange("::1")] as IpRange[];

let receiver: HttpsReceiver;
before(async () => {
  receiver = await startHttpsReceiver(ok);
});
after(() => receiver.close());

test("connections leave from the configured address; one that is not ours counts against no endpoint", async () => {
  assert.equal((await send("127.0.0.1", ["127.0.0.1"])).kind, "delivered");
  assert.equal((await send("203.0.113.9", ["127.0.0.1"])).kind, "own-fault");
});

test("only addresses that the configured address can reach are tried", async () => {
  assert.equal((await send("127.0.0.1", ["::1", "127.0.0.1"])).kind, "delivered");
  const { kind, error } = await send("127.0.0.1", ["::1"]);
  assert.deepEqual([kind, error], ["failed", "unresolved"]);
});

async function send(localAddress: string, addresses: string[]) {
  const agent = createCheckedAgent({
    allowNetworks: LOOPBACK,
    lookup: async () => addresses,
    ca: caCertificate,
    localAddress,
  });
  try {
    return await sendDelivery(
      { agent, allowNetworks: LOOPBACK },
      { url: receiver.url("/", "receiver.test"), headers: {}, body: "{}" },
    );
  } finally {
    agent.destroy();
  }
}
