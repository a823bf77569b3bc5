import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import Stripe from "stripe";
import { newSecret } from "../../../testing/builders/delivery.ts";
import { eventBody } from "../../events/emit-events.ts";
import { signDelivery } from "./sign-delivery.ts";

const BODY = eventBody({
  id: "evt_1",
  type: "order.fulfilled",
  createdAt: new Date("2026-03-01T12:00:00Z"),
  data: { order_id: "ord_ünïcode_☃", status: "fulfilled", environment: "live" },
});
const nowSeconds = () => Math.floor(Date.now() / 1_000);
/** Somebody else's verifier, as a reseller would call it. */
const { webhooks } = new Stripe("sk_test_unused");
const verify = (body: string | Buffer, header: string, secret: string): unknown =>
  webhooks.constructEvent(body, header, secret);

test("the header is the time and the hex HMAC-SHA256 of time, dot and body, keyed with the secret as shown", () => {
  const hex = createHmac("sha256", "whsec_abc").update(`1700000000.${BODY}`).digest("hex");
  assert.equal(signDelivery(["whsec_abc"], 1_700_000_000, BODY), `t=1700000000,v1=${hex}`);
});

test("the stripe package accepts a delivery as it is, and reads the event out of it", () => {
  const secret = newSecret();
  const header = signDelivery([secret], nowSeconds(), BODY);
  assert.deepEqual(verify(Buffer.from(BODY), header, secret), JSON.parse(BODY));
});

test("during a rotation it accepts the old secret and the new one, and the newest signs first", () => {
  const [older, newer] = [newSecret(), newSecret()];
  const seconds = nowSeconds();
  const header = signDelivery([newer, older], seconds, BODY);
  assert.deepEqual(verify(BODY, header, older), JSON.parse(BODY));
  assert.deepEqual(verify(BODY, header, newer), JSON.parse(BODY));
  const [, first] = header.split(",");
  const [, alone] = signDelivery([newer], seconds, BODY).split(",");
  assert.equal(first, alone);
});

test("it refuses any other secret, and one that no longer signs", () => {
  const [older, newer] = [newSecret(), newSecret()];
  const header = signDelivery([newer], nowSeconds(), BODY);
  for (const secret of [older, newer.replace("whsec_", ""), `${newer} `])
    assert.throws(() => verify(BODY, header, secret), Stripe.errors.StripeSignatureVerificationError);
});

test("it refuses a body with any one byte changed", () => {
  const secret = newSecret();
  const header = signDelivery([secret], nowSeconds(), BODY);
  for (let index = 0; index < Buffer.byteLength(BODY); index += 1) {
    const changed = Buffer.from(BODY);
    changed[index] = (changed[index] ?? 0) ^ 1;
    assert.throws(() => verify(changed, header, secret), Stripe.errors.StripeSignatureVerificationError);
  }
});

test("it refuses a delivery that was signed ten minutes ago, and one whose time was moved since", () => {
  const secret = newSecret();
  const old = nowSeconds() - 600;
  const header = signDelivery([secret], old, BODY);
  assert.throws(() => verify(BODY, header, secret), /outside the tolerance/);
  const moved = header.replace(`t=${old}`, `t=${nowSeconds()}`);
  assert.throws(() => verify(BODY, moved, secret), Stripe.errors.StripeSignatureVerificationError);
});
