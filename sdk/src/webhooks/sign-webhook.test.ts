import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import Stripe from "stripe";
import { signDelivery } from "../../../server/src/webhooks/delivery/sign-delivery.ts";
import { signWebhook } from "./sign-webhook.ts";

const BODY = '{"id":"evt_1","type":"order.fulfilled","created_at":"2026-03-01T12:00:00.000Z","data":{}}';
const secretText = fc.string({ unit: "grapheme-ascii", maxLength: 80 }).map((text) => `whsec_${text}`);

test("the header is the time and the hex HMAC-SHA256 of time, dot and body, keyed with the secret as shown", async () => {
  const hex = createHmac("sha256", "whsec_abc").update(`1700000000.${BODY}`).digest("hex");
  const header = await signWebhook(BODY, "whsec_abc", { timestampSeconds: 1_700_000_000 });
  assert.equal(header, `t=1700000000,v1=${hex}`);
});

test("it is the header that the server signs, for any body, time and secrets", async () => {
  const secrets = fc.array(secretText, { minLength: 1, maxLength: 3 });
  const body = fc.string({ unit: "grapheme", maxLength: 200 });
  const seconds = fc.nat({ max: 4_000_000_000 });
  await fc.assert(
    fc.asyncProperty(body, seconds, secrets, async (text, timestampSeconds, all) => {
      assert.equal(
        await signWebhook(text, all, { timestampSeconds }),
        signDelivery(all, timestampSeconds, text),
      );
    }),
  );
});

test("string, bytes, part of a buffer and ArrayBuffer of one body are signed the same", async () => {
  const bytes = new TextEncoder().encode(`naïve ☃ ${BODY}`);
  const padded = new Uint8Array(bytes.length + 10);
  padded.set(bytes, 5);
  const shapes = [
    new TextDecoder().decode(bytes),
    bytes,
    Buffer.from(bytes),
    padded.subarray(5, -5),
    bytes.buffer.slice(0, bytes.length),
  ];
  const headers = await Promise.all(
    shapes.map((body) => signWebhook(body, "whsec_abc", { timestampSeconds: 1 })),
  );
  assert.equal(new Set(headers).size, 1);
});

test("without a time it is signed now, and the stripe package accepts it", async () => {
  const { webhooks } = new Stripe("sk_test_unused");
  const header = await signWebhook(BODY, "whsec_abc");
  const event: unknown = webhooks.constructEvent(BODY, header, "whsec_abc");
  assert.deepEqual(event, JSON.parse(BODY));
});

test("a missing or empty secret, a parsed body and an invalid time are refused, and nothing is quoted", async () => {
  const hidden = "hunter2";
  const refused = (error: unknown) =>
    (error instanceof RangeError || error instanceof TypeError) && !error.message.includes(hidden);
  for (const secret of ["", [], [""], [hidden, ""], [hidden, undefined], undefined, null, 1]) {
    await assert.rejects(signWebhook(BODY, secret as string), refused);
  }
  for (const body of [{ id: hidden }, null, undefined, 7, [hidden]]) {
    await assert.rejects(signWebhook(body as unknown as string, "whsec_abc"), refused);
  }
  for (const timestampSeconds of [-1, 0.5, Number.NaN, 2 ** 53]) {
    await assert.rejects(signWebhook(BODY, "whsec_abc", { timestampSeconds }), refused);
  }
});
