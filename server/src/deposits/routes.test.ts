import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp } from "../../testing/app/test-app.ts";
import { audit } from "../audit/audit.ts";
import { creditTestDeposits } from "./credit-test-deposits.ts";
import { isReference } from "./reference.ts";
import { REQUESTED_MAX, requestDeposit } from "./request-deposit.ts";

const scrip = await createTestApp();
after(async () => {
  const { ok, invariants } = await audit(scrip.db);
  await scrip.close();
  assert.ok(ok, JSON.stringify(invariants.filter((one) => !one.ok)));
});

async function addKeys() {
  const { id } = await scrip.addReseller();
  const live = (await scrip.addKey(id)).key;
  const test = (await scrip.addKey(id, { env: "test" })).key;
  return { id, live, test };
}
const mine = await addKeys();

const post = (key: string, body: unknown, headers: Record<string, string> = {}) =>
  scrip.call("POST", "/v1/deposits", {
    key,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const get = async (key: string, path: string) => (await scrip.call("GET", path, { key })).json();

test("POST /v1/deposits gives a reference and instructions, and moves no money", async () => {
  const before = await get(mine.live, "/v1/balance");
  const reply = await post(mine.live, { amount: 125_000, note: "  March  " });
  assert.equal(reply.statusCode, 200, reply.body);
  const { deposit } = reply.json();
  assert.match(deposit.id, /^dep_/);
  assert.ok(isReference(deposit.reference));
  assert.deepEqual(
    [deposit.status, deposit.amount, deposit.currency, deposit.minorUnitExponent, deposit.note],
    ["requested", 125_000, "USD", 2, "March"],
  );
  assert.match(deposit.instructions, /Send 1250\.00 USD .* RF\d\d D/);
  assert.deepEqual((await get(mine.live, "/v1/balance")).balance, before.balance);
  assert.deepEqual(await get(mine.live, `/v1/deposits/${deposit.id}`), { deposit });
  assert.equal((await get(mine.test, `/v1/deposits/${deposit.id}`)).code, "not_found");
  assert.equal((await get(mine.live, `/v1/deposits/${deposit.id}%00`)).code, "not_found");
});

test("a repeat with the same Idempotency-Key returns the first deposit, also when both come at once", async () => {
  const headers = { "idempotency-key": "transfer-1" };
  const replies = await Promise.all([1, 2, 3].map(() => post(mine.live, { amount: 900 }, headers)));
  assert.equal(new Set(replies.map((reply) => reply.json().deposit.id)).size, 1);
  const replayed = replies.filter((reply) => reply.headers["idempotent-replayed"] === "true");
  assert.equal(replayed.length, 2);
  assert.equal((await post(mine.live, { amount: 901 }, headers)).json().code, "idempotency_conflict");
  const changed = await post(mine.live, { amount: 900, note: "x" }, headers);
  assert.equal(changed.statusCode, 409);
  const other = await post(mine.test, { amount: 900, note: "test:wait" }, headers);
  assert.notEqual(other.json().deposit.id, replies[0]?.json().deposit.id);
  assert.equal(
    (await post(mine.live, { amount: 1 }, { "idempotency-key": "ü" })).json().code,
    "idempotency_key_invalid",
  );
});

test("amounts, notes and filters that make no sense are refused", async () => {
  for (const body of [
    {},
    { amount: 0 },
    { amount: -1 },
    { amount: 1.5 },
    { amount: "100" },
    { amount: 2 ** 53 },
    { amount: 1, note: "a\nb" },
    { amount: 1, note: "\u202e" },
    { amount: 1, note: "" },
    { amount: 1, note: "x".repeat(501) },
    { amount: 1, currency: "USD" },
  ]) {
    const reply = await post(mine.live, body);
    assert.equal(reply.json().code, "invalid_request", JSON.stringify(body));
    assert.ok(reply.json().errors.length > 0, JSON.stringify(body));
  }
  assert.equal((await get(mine.live, "/v1/deposits?status=paid")).code, "invalid_request");
});

test("GET /v1/deposits pages through a reseller's own deposits, newest first", async () => {
  const keys = await addKeys();
  const ids: string[] = [];
  for (const amount of [1, 2, 3])
    ids.unshift((await post(keys.live, { amount })).json().deposit.id as string);
  const first = await get(keys.live, "/v1/deposits?limit=2");
  assert.equal(first.hasMore, true);
  const second = await get(keys.live, `/v1/deposits?limit=2&cursor=${first.nextCursor}`);
  const found = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
  assert.deepEqual(found, ids);
  assert.equal((await get(mine.live, `/v1/deposits?cursor=${first.nextCursor}`)).code, "invalid_cursor");
  assert.equal((await get(keys.live, "/v1/deposits?status=credited")).data.length, 0);
});

test("too many unpaid deposits are refused, and another reseller is not affected", async () => {
  const keys = await addKeys();
  const tenant = { resellerId: keys.id, environment: "live" } as const;
  const by = { actor: { kind: "key", id: "key_1" } } as const;
  for (let n = 0; n < REQUESTED_MAX; n += 1) await requestDeposit(scrip, tenant, { amountMinor: 1n }, by);
  assert.equal((await post(keys.live, { amount: 1 })).json().code, "deposit_limit_reached");
  assert.equal((await post(mine.live, { amount: 1 })).statusCode, 200);
});

test("the sandbox credits a deposit by itself, in half or not at all as its note asks", async () => {
  const keys = await addKeys();
  const request = async (note?: string): Promise<string> =>
    (await post(keys.test, { amount: 501, ...(note ? { note } : {}) })).json().deposit.id;
  const [full, half, no, waits] = [
    await request(),
    await request("test:partial"),
    await request("test:reject"),
    await request("test:wait"),
  ];
  const { balance } = await get(keys.test, "/v1/balance");
  // Two workers at once.
  await Promise.all([creditTestDeposits(scrip), creditTestDeposits(scrip)]);
  const read = async (id: string) => (await get(keys.test, `/v1/deposits/${id}`)).deposit;
  assert.deepEqual([(await read(full)).status, (await read(full)).receivedAmount], ["credited", 501]);
  assert.deepEqual([(await read(half)).status, (await read(half)).receivedAmount], ["credited", 250]);
  assert.equal((await read(no)).status, "rejected");
  assert.match((await read(no)).reason, /asked to reject/);
  assert.equal((await read(waits)).status, "requested");
  assert.equal((await get(keys.test, "/v1/balance")).balance.amount, balance.amount + 751);
  const { data } = await get(keys.test, "/v1/wallet/entries?type=deposit&limit=2");
  assert.deepEqual(
    data.map((entry: { amount: number; id: string }) => [entry.amount, entry.id]),
    [
      [250, (await read(half)).entryId],
      [501, (await read(full)).entryId],
    ],
  );
  const events = await get(keys.test, "/v1/events");
  assert.deepEqual(
    events.data.map((event: { type: string; data: unknown }) => [event.type, event.data]),
    [half, full].map((id, n) => [
      "deposit.credited",
      { deposit_id: id, amount: { amount: n === 0 ? 250 : 501, currency: "USD" } },
    ]),
  );
  assert.equal(await creditTestDeposits(scrip), 0);
  const huge = (await post(keys.test, { amount: 2 ** 53 - 1 })).json().deposit.id;
  await creditTestDeposits(scrip);
  assert.match((await read(huge)).reason, /cannot hold that much/);
});

test("who requested a deposit is in the activity log", async () => {
  const [row] = await scrip.db.rows<{ actor_kind: string; address: string }>(sql`
    select actor_kind, address from activity where action = 'deposit.requested' and reseller_id = ${mine.id} limit 1`);
  assert.equal(row?.actor_kind, "key");
  assert.ok(row.address);
});
