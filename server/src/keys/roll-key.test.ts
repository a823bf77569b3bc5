import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { createHandClock, type HandClock } from "../../testing/hand-clock.ts";
import { changeKey } from "./change-key.ts";
import { createKey, type KeyDeps } from "./create-key.ts";
import { listKeyRows } from "./queries.ts";
import { revokeKey } from "./revoke-key.ts";
import { rollKey } from "./roll-key.ts";

const HOUR_MS = 3_600_000;
const creator = { kind: "command", id: "test" } as const;
let scrip: TestApp;
let clock: HandClock;
let deps: KeyDeps;
let resellerId: string;
before(async () => {
  clock = createHandClock();
  scrip = await createTestApp({ clock });
  deps = { db: scrip.db, clock, pepper: scrip.secrets.pepper };
  ({ id: resellerId } = await scrip.addReseller());
});
after(() => scrip.close());

const statusWith = async (key: string) => (await scrip.call("GET", "/v1/balance", { key })).statusCode;

test("the new key works at once, the old one until the grace period ends", async () => {
  const old = await scrip.addKey(resellerId);
  const rolled = await rollKey(deps, { id: old.id, graceMs: 24 * HOUR_MS, creator });
  assert.equal(rolled.replaces, old.id);
  assert.deepEqual([await statusWith(old.key), await statusWith(rolled.key)], [200, 200]);
  clock.advance(24 * HOUR_MS - 1);
  assert.equal(await statusWith(old.key), 200);
  clock.advance(1);
  assert.deepEqual([await statusWith(old.key), await statusWith(rolled.key)], [401, 200]);
});

test("without a grace period the old key is refused from the next request on", async () => {
  const old = await scrip.addKey(resellerId);
  await rollKey(deps, { id: old.id, graceMs: 0, creator });
  assert.equal(await statusWith(old.key), 401);
});

test("name, scopes, allowlist and expiry are inherited, and each row names the other", async () => {
  const expiresAt = new Date(clock.now().getTime() + 48 * HOUR_MS);
  const input = {
    resellerId,
    environment: "test" as const,
    name: "shop",
    scopes: ["wallet:read"],
    expiresAt,
  };
  const old = await createKey(deps, { ...input, allowedIps: ["192.0.2.0/24"] });
  const { id } = await rollKey(deps, { id: old.id, graceMs: 72 * HOUR_MS, creator });
  const rows = await listKeyRows(scrip.db, resellerId);
  const [before, now] = [old.id, id].map((wanted) => rows.find((row) => row.id === wanted));
  assert.deepEqual(
    [now?.name, now?.environment, now?.scopes, now?.allowedIps, now?.expiresAt],
    ["shop", "test", ["wallet:read"], ["192.0.2.0/24"], expiresAt],
  );
  assert.deepEqual([now?.replacesId, before?.replacedById], [old.id, id]);
  assert.deepEqual(before?.expiresAt, expiresAt, "a grace period does not outlive the key's own expiry");
});

test("a key is rolled once, also by two at the same time", async () => {
  const { id } = await scrip.addKey(resellerId);
  const tries = await Promise.allSettled([1, 2].map(() => rollKey(deps, { id, graceMs: 0, creator })));
  assert.deepEqual(tries.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

test("a key that is dead, unknown or asked for too long a grace period is not rolled", async () => {
  const { id } = await scrip.addKey(resellerId);
  const roll = (which: string, graceMs: number) => async () => rollKey(deps, { id: which, graceMs, creator });
  await assert.rejects(roll(id, 73 * HOUR_MS), /0 to 72 hours/);
  await assert.rejects(roll(id, Number.NaN), /0 to 72 hours/);
  await revokeKey(scrip.db, clock, id);
  await assert.rejects(roll(id, 0), /is revoked/);
  await assert.rejects(roll("key_none", 0), /no key key_none/);
});

test("changed scopes and addresses hold from the next request on", async () => {
  const { id, key } = await scrip.addKey(resellerId);
  assert.equal(await statusWith(key), 200);
  await changeKey(scrip, id, { scopes: ["orders:read"] });
  assert.equal(await statusWith(key), 403);
  await changeKey(scrip, id, { scopes: ["wallet:read"], allowedIps: ["203.0.113.9"] });
  assert.equal((await scrip.call("GET", "/v1/balance", { key })).json().code, "ip_not_allowed");
  await assert.rejects(changeKey(scrip, id, { scopes: [] }), /at least one scope/);
  await assert.rejects(changeKey(scrip, id, { name: "a\u0000b" }), /must not/);
});

test("a further key, a roll and a revocation are events once each, in their environment, without the key", async () => {
  const { id } = await scrip.addReseller();
  const reader = await scrip.addKey(id);
  const told = async () => {
    const reply = await scrip.call("GET", "/v1/events", { key: reader.key });
    return reply
      .json()
      .data.map((event: { type: string; data: unknown }) => [event.type, event.data])
      .reverse();
  };
  await scrip.addKey(id, { env: "test" });
  assert.deepEqual(await told(), [], "nothing could listen before the first key");
  const key = await scrip.addKey(id);
  const hint = `sc_live_…${key.key.slice(-4)}`;
  const created = ["key.created", { key_id: key.id, key_hint: hint }];
  assert.deepEqual(await told(), [created]);
  const rolled = await rollKey(deps, { id: key.id, graceMs: 0, creator });
  const rolledHint = `sc_live_…${rolled.lastFour}`;
  const next = ["key.created", { key_id: rolled.id, key_hint: rolledHint, replaces_key_id: key.id }];
  assert.deepEqual(await told(), [created, next, ["key.revoked", { key_id: key.id, key_hint: hint }]]);
  await revokeKey(scrip.db, clock, rolled.id);
  await revokeKey(scrip.db, clock, rolled.id);
  assert.deepEqual((await told()).slice(3), [["key.revoked", { key_id: rolled.id, key_hint: rolledHint }]]);
  const forgotten = revokeKey(scrip.db, clock, reader.id, () => Promise.reject(new Error("undone")));
  await assert.rejects(forgotten, /undone/);
  assert.equal((await told()).length, 4, "no event without the revocation");
});
