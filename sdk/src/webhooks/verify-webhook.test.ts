import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import Stripe from "stripe";
import { eventBody } from "../../../server/src/events/emit-events.ts";
import { EVENT_TABLE } from "../../../server/src/events/event-types.ts";
import { signDelivery } from "../../../server/src/webhooks/delivery/sign-delivery.ts";
import { signWebhook } from "./sign-webhook.ts";
import {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from "./verify-webhook.ts";

const NOW_SECONDS = 1_772_366_400;
const SECRET = newSecret();
const BODY = eventBody({
  id: "evt_1",
  type: "order.fulfilled",
  createdAt: new Date("2026-03-01T12:00:00Z"),
  data: { order_id: "ord_ünïcode_☃", status: "fulfilled", environment: "live" },
});
const HEADER = signDelivery([SECRET], NOW_SECONDS, BODY);
const at = (seconds: number): VerifyWebhookOptions => ({ now: () => seconds * 1000 });
const signed = (header: string) => ({ "service-signature": header });

function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

function verify(
  body: Parameters<typeof verifyWebhook>[0],
  headers: WebhookHeaders | string,
  { secret = SECRET, ...options }: VerifyWebhookOptions & { secret?: string | readonly string[] } = {},
) {
  const given = typeof headers === "string" ? signed(headers) : headers;
  return verifyWebhook(body, given, secret, { ...at(NOW_SECONDS), ...options });
}

const refusedFor = (reason: WebhookVerificationReason) => (error: unknown) =>
  error instanceof WebhookVerificationError && error.reason === reason && !error.message.includes("ord_");

test("a delivery of the server is accepted, and its event is returned", async () => {
  assert.deepEqual(await verify(BODY, HEADER), JSON.parse(BODY));
});

test("a header that the stripe package made is accepted", async () => {
  const { webhooks } = new Stripe("sk_test_unused");
  const header = webhooks.generateTestHeaderString({
    payload: BODY,
    secret: SECRET,
    timestamp: NOW_SECONDS,
  });
  assert.deepEqual(await verify(BODY, header), JSON.parse(BODY));
});

test("the body can be a string, bytes, an ArrayBuffer, or bytes of another realm", async () => {
  const bytes = new TextEncoder().encode(BODY);
  const buffer = bytes.buffer.slice(0, bytes.length);
  const foreign: Uint8Array = runInNewContext("Uint8Array.from(list)", { list: [...bytes] });
  assert.ok(!(foreign instanceof Uint8Array));
  for (const body of [BODY, bytes, Buffer.from(BODY), buffer, foreign]) {
    assert.equal((await verify(body, HEADER)).id, "evt_1");
  }
});

test("the header is found in Headers, in Node's headers, in any case, and as a list", async () => {
  const shapes: WebhookHeaders[] = [
    new Headers({ "Service-Signature": HEADER }),
    new Map([["service-signature", HEADER]]) as unknown as WebhookHeaders,
    { host: "x", "set-cookie": ["a", "b"], "service-signature": HEADER, "content-length": undefined },
    { "Service-Signature": HEADER },
    { "SERVICE-SIGNATURE": [HEADER] },
    { get: "a header of that name", "service-signature": HEADER },
  ];
  for (const headers of shapes) assert.equal((await verify(BODY, headers)).id, "evt_1");
});

test("a delivery without the header is refused", async () => {
  for (const headers of [
    {},
    new Headers(),
    { "service-signature": undefined },
    { "service-signature": [] },
  ]) {
    await assert.rejects(verify(BODY, headers as WebhookHeaders), refusedFor("missing_header"));
  }
});

test("a header that is not one time and at least one signature is refused", async () => {
  const [time, v1] = HEADER.split(",") as [string, string];
  const hex = v1.slice(3);
  const malformed = [
    "",
    ",,,",
    "garbage",
    time,
    v1,
    `t=,${v1}`,
    `t=-1,${v1}`,
    `t=1e9,${v1}`,
    `t=${NOW_SECONDS}.0,${v1}`,
    `t= ${NOW_SECONDS},${v1}`,
    `t=${"9".repeat(16)},${v1}`,
    `T=${NOW_SECONDS},${v1}`,
    `${time},${time},${v1}`,
    `t=1,${HEADER}`,
    `${HEADER},t=1`,
    `${time},v1=`,
    `${time},v1=${hex.slice(1)}`,
    `${time},v1=${hex}0`,
    `${time},v1=${hex.slice(0, -1)}g`,
    `${time},v1=${" ".repeat(64)}`,
    `${time},v0=${hex}`,
    `${time},v11=${hex}`,
    `${time};${v1}`,
  ];
  for (const header of malformed) {
    await assert.rejects(verify(BODY, header), refusedFor("malformed_header"), header);
  }
  const doubled = [
    { "service-signature": [HEADER, HEADER] },
    { "service-signature": HEADER, "Service-Signature": HEADER },
  ];
  for (const headers of doubled) {
    await assert.rejects(verify(BODY, headers as WebhookHeaders), refusedFor("malformed_header"));
  }
});

test("spaces after commas, capital hex, unknown schemes and a broken v1 next to a good one are accepted", async () => {
  const [time, v1] = HEADER.split(",") as [string, string];
  const fine = [
    `${time}, ${v1}`,
    ` ${v1} , ${time} `,
    `${time},v1=${v1.slice(3).toUpperCase()}`,
    `${time},v2=abc,${v1},x`,
    `${time},v1=zz,${v1}`,
  ];
  for (const header of fine) assert.equal((await verify(BODY, header)).id, "evt_1", header);
});

test("during a rotation any signature can match any secret", async () => {
  const [older, newer, other] = [newSecret(), newSecret(), newSecret()];
  const header = signDelivery([newer, older], NOW_SECONDS, BODY);
  for (const secret of [older, newer, [older], [newer, older], [other, older], [other, newer]]) {
    assert.equal((await verify(BODY, header, { secret })).id, "evt_1");
  }
  for (const secret of [other, [other], [other, SECRET]]) {
    await assert.rejects(verify(BODY, header, { secret }), refusedFor("no_matching_signature"));
  }
  const crowd = await signWebhook(BODY, Array.from({ length: 100 }, newSecret), {
    timestampSeconds: NOW_SECONDS,
  });
  await assert.rejects(verify(BODY, crowd), refusedFor("no_matching_signature"));
});

test("the whole secret is the key, including its prefix", async () => {
  for (const secret of [SECRET.slice("whsec_".length), `${SECRET} `, SECRET.toLowerCase(), newSecret()]) {
    await assert.rejects(verify(BODY, HEADER, { secret }), refusedFor("no_matching_signature"));
  }
});

test("the time can be 300 seconds from now, both ways, and not a millisecond more", async () => {
  for (const sign of [-1, 1]) {
    const edgeMs = NOW_SECONDS * 1000 + sign * 300_000;
    assert.equal((await verify(BODY, HEADER, { now: () => edgeMs })).id, "evt_1");
    await assert.rejects(
      verify(BODY, HEADER, { now: () => edgeMs + sign }),
      refusedFor("timestamp_outside_tolerance"),
    );
  }
});

test("the caller can set the tolerance; an invalid tolerance or clock accepts nothing", async () => {
  const late = { ...at(NOW_SECONDS + 10) };
  assert.equal((await verify(BODY, HEADER, { ...late, toleranceSeconds: 10 })).id, "evt_1");
  assert.equal((await verify(BODY, HEADER, { toleranceSeconds: 0 })).id, "evt_1");
  const outside = refusedFor("timestamp_outside_tolerance");
  await assert.rejects(verify(BODY, HEADER, { ...late, toleranceSeconds: 9 }), outside);
  await assert.rejects(verify(BODY, HEADER, at(Number.NaN)), outside);
  for (const toleranceSeconds of [-1, Number.NaN]) {
    await assert.rejects(verify(BODY, HEADER, { toleranceSeconds }), RangeError);
  }
});

test("without a given clock, the current time is used", async () => {
  const fresh = await signWebhook(BODY, SECRET);
  assert.equal((await verifyWebhook(BODY, signed(fresh), SECRET)).id, "evt_1");
  const old = await signWebhook(BODY, SECRET, { timestampSeconds: Math.floor(Date.now() / 1000) - 302 });
  await assert.rejects(verifyWebhook(BODY, signed(old), SECRET), refusedFor("timestamp_outside_tolerance"));
});

test("a time that was moved after signing is refused", async () => {
  const moved = HEADER.replace(String(NOW_SECONDS), String(NOW_SECONDS + 1));
  await assert.rejects(verify(BODY, moved), refusedFor("no_matching_signature"));
  const padded = HEADER.replace(`t=`, "t=0");
  await assert.rejects(verify(BODY, padded), refusedFor("no_matching_signature"));
});

test("a body with any changed bit is refused", async () => {
  const bytes = Buffer.from(BODY);
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    await assert.rejects(verify(changed, HEADER), refusedFor("no_matching_signature"));
  }
});

test("a signature with any changed digit is refused", async () => {
  const start = HEADER.indexOf("v1=") + 3;
  for (let index = start; index < HEADER.length; index += 1) {
    const digit = HEADER.charAt(index) === "0" ? "1" : "0";
    const changed = HEADER.slice(0, index) + digit + HEADER.slice(index + 1);
    await assert.rejects(verify(BODY, changed), refusedFor("no_matching_signature"));
  }
});

test("a body that was parsed and serialised again is refused, and so is the parsed one", async () => {
  const sent = BODY.replace(":", ": ");
  const header = signDelivery([SECRET], NOW_SECONDS, sent);
  assert.equal((await verify(sent, header)).id, "evt_1");
  const again = JSON.stringify(JSON.parse(sent));
  await assert.rejects(verify(again, header), refusedFor("no_matching_signature"));
  await assert.rejects(verify(JSON.parse(sent), header), /must be the raw body/);
});

test("a signed body that is not an event is refused, and an unknown event type is accepted", async () => {
  const event = JSON.parse(BODY);
  const bodies: unknown[] = [
    "",
    "{",
    "null",
    "[]",
    '"evt_1"',
    ...["id", "type", "created_at", "data"].flatMap((name) => [
      JSON.stringify({ ...event, [name]: undefined }),
      JSON.stringify({ ...event, [name]: 7 }),
      JSON.stringify({ ...event, [name]: null }),
    ]),
    JSON.stringify({ ...event, data: [] }),
    JSON.stringify({ ...event, data: { order_id: "ord_1" } }),
    JSON.stringify({ ...event, type: "webhook.test" }),
    Buffer.concat([Buffer.from(BODY.slice(0, -3)), Buffer.from([0xff]), Buffer.from(BODY.slice(-3))]),
  ];
  for (const body of bodies as (string | Uint8Array)[]) {
    const header = await signWebhook(body, SECRET, { timestampSeconds: NOW_SECONDS });
    await assert.rejects(verify(body, header), refusedFor("malformed_body"), String(body));
  }
  const later = { ...event, type: "constructor", data: { more: 1 }, more: 2 };
  const text = JSON.stringify(later);
  assert.deepEqual(await verify(text, signDelivery([SECRET], NOW_SECONDS, text)), later);
});

test("for any header, only a valid signature is accepted, and only verification errors are thrown", async () => {
  const piece = fc.oneof(
    fc.constantFrom("t=", "v1=", ",", "=", String(NOW_SECONDS), "0".repeat(64), "a".repeat(64), " "),
    fc.string({ maxLength: 5 }),
  );
  const header = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  await fc.assert(
    fc.asyncProperty(header, async (text) => {
      await assert.rejects(verify(BODY, text), WebhookVerificationError);
    }),
    { numRuns: 2000 },
  );
});

test("an invalid secret is a RangeError, and is not quoted", async () => {
  for (const secret of ["", [], [SECRET, ""], [undefined, SECRET], undefined]) {
    await assert.rejects(
      verifyWebhook(BODY, signed(HEADER), secret as string, at(NOW_SECONDS)),
      (error) => error instanceof RangeError && !error.message.includes(SECRET),
    );
  }
});

test("the SDK knows the data of every event type: an event that lacks a required member is refused", async () => {
  const send = async (type: string, data: unknown) => {
    const body = JSON.stringify({ id: "evt_1", type, created_at: "2026-03-01T12:00:00.000Z", data });
    return verify(body, signDelivery([SECRET], NOW_SECONDS, body));
  };
  for (const [type, { data, example }] of Object.entries(EVENT_TABLE)) {
    assert.deepEqual((await send(type, example)).data, example);
    const texts = Object.entries(example).filter(([, value]) => typeof value === "string");
    for (const name of data.required.filter((required) => texts.some(([text]) => text === required))) {
      const { [name]: _left, ...rest }: Record<string, unknown> = example;
      await assert.rejects(send(type, rest), refusedFor("malformed_body"), `${type} without ${name}`);
    }
  }
});
