// A bare loop of signed POSTs with the client and the concurrency of the deliveries, in a process of its own.

import { parseIpRange } from "../../server/src/lib/ip.ts";
import { createCheckedAgent } from "../../server/src/webhooks/addresses/checked-agent.ts";
import { sendDelivery } from "../../server/src/webhooks/delivery/send-delivery.ts";
import { signDelivery } from "../../server/src/webhooks/delivery/sign-delivery.ts";

const { url, body, secret, concurrency, seconds } = JSON.parse(process.argv[2] ?? "") as {
  url: string;
  body: string;
  secret: string;
  concurrency: number;
  seconds: number;
};
const loopback = parseIpRange("127.0.0.0/8");
const allowNetworks = loopback ? [loopback] : [];
const agent = createCheckedAgent({ allowNetworks });
const endsAt = performance.now() + seconds * 1_000;
let sent = 0;
const post = async () => {
  while (performance.now() < endsAt) {
    const headers = {
      "content-type": "application/json",
      "service-signature": signDelivery([secret], Math.floor(Date.now() / 1_000), body),
    };
    const { kind } = await sendDelivery({ agent, allowNetworks }, { url, headers, body });
    if (kind !== "delivered") throw new Error(`a post ${kind}`);
    sent += 1;
  }
};
await Promise.all(Array.from({ length: concurrency }, post));
console.log(JSON.stringify({ perSecond: sent / seconds }));
agent.destroy();
