import assert from "node:assert/strict";
import { Socket } from "node:net";
import { mock, test } from "node:test";
import { hostileUrls } from "../../../testing/receivers/hostile-urls.ts";
import type { Problem } from "../../lib/problem.ts";
import { sendDelivery } from "../delivery/send-delivery.ts";
import { assertWebhookUrl } from "./assert-webhook-url.ts";
import { createCheckedAgent } from "./checked-agent.ts";

const URLS = hostileUrls();
const FORMS_MIN = 500;

test("none of thousands of hostile URLs can be registered", async (t) => {
  // A name that is asked for would resolve to a public address.
  const settings = { egressIps: [], allowNetworks: [], lookup: async () => ["93.184.215.14"] };
  const accepted: string[] = [];
  for (const url of URLS)
    await assertWebhookUrl(settings, url).then(
      () => accepted.push(url),
      (error: Problem) => assert.equal(error.code, "webhook_url_not_allowed", url),
    );
  assert.deepEqual(accepted, []);
  t.diagnostic(`${URLS.length} forms`);
  assert.ok(URLS.length >= FORMS_MIN);
});

test("if one were registered all the same, its delivery would not open a socket", async () => {
  const connect = mock.method(Socket.prototype, "connect", function (this: Socket) {
    process.nextTick(() => this.destroy(new Error("a socket was opened")));
    return this;
  });
  const agent = createCheckedAgent({ allowNetworks: [], lookup: async () => ["127.0.0.1"] });
  const limits = { connectMs: 1_000, wallMs: 2_000 };
  try {
    for (const url of URLS) {
      const outcome = await sendDelivery(
        { agent, allowNetworks: [], limits },
        { url, headers: {}, body: "{}" },
      );
      assert.equal(outcome.kind, "failed", url);
      assert.equal(connect.mock.callCount(), 0, url);
    }
    // The watch works: an address that is allowed does open one.
    const allowed = { url: "https://93.184.215.14/", headers: {}, body: "{}" };
    await sendDelivery({ agent, allowNetworks: [], limits }, allowed);
    assert.ok(connect.mock.callCount() > 0);
  } finally {
    connect.mock.restore();
    agent.destroy();
  }
});
