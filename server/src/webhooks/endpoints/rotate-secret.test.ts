import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { findPlanted } from "../../../testing/builders/find-planted.ts";
import { openWebhookDesk, type WebhookDesk } from "../../../testing/builders/webhook-desk.ts";
import { countWaiting } from "../../../testing/database/count-waiting.ts";
import { eventually } from "../../../testing/eventually.ts";
import { openWebhookSecret } from "./webhook-secret.ts";

const SECOND_MS = 1_000;
const DAY_SECONDS = 86_400;

let desk: WebhookDesk;

before(async () => {
  desk = await openWebhookDesk();
});
after(() => desk.scrip.close());

const rotate = (id: string, gracePeriodSeconds: number) =>
  desk.get("POST", `/v1/webhooks/${id}/rotate`, { gracePeriodSeconds });

/** The secrets that sign at this moment, newest first, and how many seconds each has left. */
async function living(endpointId: string): Promise<[secret: string, secondsLeft: number][]> {
  const now = desk.clock.now();
  const rows = await desk.scrip.db.rows<{ sealed: Buffer; expiresAt: Date | null }>(sql`
    select sealed, expires_at as "expiresAt" from webhook_secrets
    where endpoint_id = ${endpointId} and (expires_at is null or expires_at > ${now}) order by id desc`);
  return rows.map(({ sealed, expiresAt }) => [
    openWebhookSecret(desk.scrip.keyring, endpointId, sealed),
    expiresAt ? (expiresAt.getTime() - now.getTime()) / SECOND_MS : Number.POSITIVE_INFINITY,
  ]);
}

const FOREVER = Number.POSITIVE_INFINITY;

test("a rotation shows the new secret once, and the previous one signs for another day", async () => {
  const { webhook, secret: first } = await desk.register();
  assert.deepEqual(await living(webhook.id), [[first, FOREVER]]);
  const reply = await desk.ask("POST", `/v1/webhooks/${webhook.id}/rotate`);
  assert.equal(reply.statusCode, 200);
  const { secret, ...rest } = reply.json();
  const expiresAt = new Date(desk.clock.now().getTime() + DAY_SECONDS * SECOND_MS).toISOString();
  assert.deepEqual(rest, { webhook, previousSecretExpiresAt: expiresAt });
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.notEqual(secret, first);
  assert.deepEqual(await living(webhook.id), [
    [secret, FOREVER],
    [first, DAY_SECONDS],
  ]);
  desk.clock.advance(DAY_SECONDS * SECOND_MS);
  assert.deepEqual(await living(webhook.id), [[secret, FOREVER]]);
});

test("an older secret expires when it would have, or with the shorter grace period of a later rotation", async () => {
  const { webhook, secret: first } = await desk.register();
  const { secret: second } = await rotate(webhook.id, 100);
  desk.clock.advance(40 * SECOND_MS);
  const { secret: third } = await rotate(webhook.id, 500);
  assert.deepEqual(await living(webhook.id), [
    [third, FOREVER],
    [second, 500],
    [first, 60],
  ]);
  desk.clock.advance(60 * SECOND_MS);
  const { secret: fourth, previousSecretExpiresAt } = await rotate(webhook.id, 10);
  assert.deepEqual(await living(webhook.id), [
    [fourth, FOREVER],
    [third, 10],
    [second, 10],
  ]);
  assert.equal(previousSecretExpiresAt, new Date(desk.clock.now().getTime() + 10 * SECOND_MS).toISOString());
});

test("a fourth valid secret is 409 secret_limit_reached, until the oldest has expired", async () => {
  const { webhook } = await desk.register();
  await rotate(webhook.id, 60);
  await rotate(webhook.id, 120);
  const before = await living(webhook.id);
  assert.equal(before.length, 3);
  const refused = await desk.ask("POST", `/v1/webhooks/${webhook.id}/rotate`, { gracePeriodSeconds: 1 });
  assert.deepEqual([refused.statusCode, refused.json().code], [409, "secret_limit_reached"]);
  assert.deepEqual(await living(webhook.id), before);
  desk.clock.advance(59_999);
  assert.equal((await desk.ask("POST", `/v1/webhooks/${webhook.id}/rotate`)).statusCode, 409);
  desk.clock.advance(1);
  await rotate(webhook.id, 60);
  assert.equal((await living(webhook.id)).length, 3);
});

test("without a grace period all earlier secrets expire at once, and that is never refused", async () => {
  const { webhook } = await desk.register();
  await rotate(webhook.id, 604_800);
  await rotate(webhook.id, 604_800);
  const { secret, previousSecretExpiresAt } = await rotate(webhook.id, 0);
  assert.deepEqual(await living(webhook.id), [[secret, FOREVER]]);
  assert.equal(previousSecretExpiresAt, desk.clock.now().toISOString());
  const stored = await desk.scrip.db.rows(sql`select from webhook_secrets where endpoint_id = ${webhook.id}`);
  assert.equal(stored.length, 1, "what has ended is not kept");
});

test("of five rotations at once two succeed, and three secrets are valid", async () => {
  const { webhook, secret: first } = await desk.register();
  const { db } = desk.scrip;
  // All of them are under way before the first can end, whatever they have counted by then.
  const { rotations } = await db.transaction(async (tx) => {
    await tx.rows(sql`select from webhook_secrets where endpoint_id = ${webhook.id} for update`);
    const begun = Array.from({ length: 5 }, () => desk.ask("POST", `/v1/webhooks/${webhook.id}/rotate`));
    await eventually("all of them wait", async () => (await countWaiting(db)) === 5 || undefined);
    return { rotations: begun };
  });
  const replies = await Promise.all(rotations);
  assert.deepEqual(replies.map(({ statusCode }) => statusCode).toSorted(), [200, 200, 409, 409, 409]);
  const passed = replies.filter(({ statusCode }) => statusCode === 200);
  const alive = (await living(webhook.id)).map(([secret]) => secret);
  assert.deepEqual(alive.toSorted(), [first, ...passed.map((reply) => reply.json().secret)].toSorted());
});

test("a grace period that is not an integer from 0 to 604800, and any other field, is 400", async () => {
  const { webhook } = await desk.register();
  const refused: unknown[] = [
    { gracePeriodSeconds: -1 },
    { gracePeriodSeconds: 604_801 },
    { gracePeriodSeconds: 1.5 },
    { gracePeriodSeconds: "60" },
    { gracePeriodSeconds: null },
    { grace: 60 },
    [],
    "null",
  ];
  for (const body of refused) {
    const reply = await desk.scrip.call("POST", `/v1/webhooks/${webhook.id}/rotate`, {
      key: desk.live.key,
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    assert.deepEqual([reply.statusCode, reply.json().code], [400, "invalid_request"], JSON.stringify(body));
  }
  assert.equal((await living(webhook.id)).length, 1);
  const empty = await desk.scrip.call("POST", `/v1/webhooks/${webhook.id}/rotate`, {
    key: desk.live.key,
    headers: { "content-type": "application/json" },
    body: "",
  });
  assert.equal(empty.statusCode, 200, "an empty body is no body");
});

test("no secret is readable in any table or in the log, and one moved to another endpoint does not open", async () => {
  const one = await desk.register();
  const other = await desk.register();
  const { secret } = await rotate(one.webhook.id, 60);
  const { db, keyring } = desk.scrip;
  for (const plain of [one.secret, secret]) {
    for (const part of [plain, plain.slice("whsec_".length)])
      assert.deepEqual(await findPlanted(db, part), []);
    assert.ok(!desk.scrip.logged().includes(plain.slice("whsec_".length)));
  }
  assert.deepEqual(await findPlanted(db, one.webhook.id), [
    "public.webhook_endpoints",
    "public.webhook_secrets",
  ]);
  const [row] = await db.rows<{ sealed: Buffer }>(
    sql`select sealed from webhook_secrets where endpoint_id = ${one.webhook.id} limit 1`,
  );
  assert.throws(() => openWebhookSecret(keyring, other.webhook.id, row?.sealed ?? Buffer.of()), {
    name: "SealError",
  });
});
