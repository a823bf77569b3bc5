import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addCard, type Buyer, CARD_PRICE_MINOR, postOrder } from "../../testing/builders/buyers.ts";
import { audit } from "../audit/audit.ts";
import { createCursorCodec } from "../lib/cursor.ts";
import { moveFunds } from "./move-funds.ts";

/** Far ahead of real time, because request ids use it and never go back within a process. */
const START_MS = Date.UTC(2040, 0, 31, 12);

let scrip: TestApp;
let buyer: Buyer;
let orderIds: string[];
let nowMs = START_MS;

before(async () => {
  scrip = await createTestApp({ clock: { now: () => new Date(nowMs) } });
  await addCard(scrip.db);
  buyer = await addPoorBuyer();
  await fillStatement();
});

after(async () => {
  const { ok, invariants } = await audit(scrip.db);
  await scrip.close();
  assert.ok(ok, JSON.stringify(invariants));
});

async function addPoorBuyer(currency = "USD"): Promise<Buyer> {
  const { id: resellerId } = await scrip.addReseller({ currency });
  const { id: keyId, key } = await scrip.addKey(resellerId);
  return { resellerId, environment: "live", keyId, key };
}

/** deposit 50.00 · 3 orders · debit 1.00 · deposit 2.00 · 2 orders, one second apart. */
async function fillStatement(): Promise<void> {
  orderIds = [];
  const move = (direction: "credit" | "debit", amount: string) =>
    moveFunds(scrip.db, scrip.clock, buyer, { direction, amount, note: `${direction} ${amount}` });
  const order = async () => {
    const reply = await postOrder(scrip, buyer, `statement-${orderIds.length}`);
    orderIds.push(reply.json().order.id);
  };
  for (const step of [
    () => move("credit", "50.00"),
    order,
    order,
    order,
    () => move("debit", "1.00"),
    () => move("credit", "2.00"),
    order,
    order,
  ]) {
    await step();
    nowMs += 1_000;
  }
}

type Shown = {
  id: string;
  type: string;
  amount: number;
  balanceAfter: number;
  orderId?: string;
  createdAt: string;
};
type Page = { data: Shown[]; hasMore: boolean; nextCursor: string };

async function read(query = "", key = buyer.key): Promise<Page> {
  const reply = await scrip.call("GET", `/v1/wallet/entries?${query}`, { key });
  assert.equal(reply.statusCode, 200, `${query}: ${reply.body}`);
  return reply.json();
}

const amounts = async (query: string) => (await read(query)).data.map(({ amount }) => amount);
const second = (n: number): string => new Date(START_MS + n * 1_000).toISOString();

test("GET /v1/balance returns what can be spent now, in the wallet's currency", async () => {
  const reply = await scrip.call("GET", "/v1/balance", { key: buyer.key });
  const expected = { amount: 5000 - 5 * CARD_PRICE_MINOR - 100 + 200, currency: "USD", minorUnitExponent: 2 };
  assert.deepEqual(reply.json(), { balance: expected, asOf: new Date(nowMs).toISOString() });
  for (const [currency, minorUnitExponent] of [
    ["JPY", 0],
    ["KWD", 3],
  ] as const) {
    const other = await addPoorBuyer(currency);
    const { balance } = (await scrip.call("GET", "/v1/balance", { key: other.key })).json();
    assert.deepEqual(balance, { amount: 0, currency, minorUnitExponent });
    const sandbox = (await scrip.addKey(other.resellerId, { env: "test" })).key;
    const funded = (await scrip.call("GET", "/v1/balance", { key: sandbox })).json().balance;
    assert.deepEqual(funded, { amount: 1_000_000 * 10 ** minorUnitExponent, currency, minorUnitExponent });
  }
});

test("the statement is newest first, each balance follows from the previous one, and absent members are omitted", async () => {
  const { data, hasMore, nextCursor } = await read();
  assert.deepEqual([hasMore, nextCursor], [false, ""]);
  const types = ["order", "order", "deposit", "adjustment", "order", "order", "order", "deposit"];
  assert.deepEqual(
    data.map(({ type }) => type),
    types,
  );
  for (const [index, entry] of data.entries()) {
    assert.equal(entry.balanceAfter, (data[index + 1]?.balanceAfter ?? 0) + entry.amount);
    assert.equal(entry.createdAt, second(7 - index));
    assert.match(entry.id, /^ent_[0-9a-z]{26}$/);
  }
  const [{ id: orderEntryId = "", ...orderEntry } = {}] = data;
  assert.ok(orderEntryId);
  assert.deepEqual(orderEntry, {
    type: "order",
    amount: -CARD_PRICE_MINOR,
    balanceAfter: 5000 - 5 * CARD_PRICE_MINOR - 100 + 200,
    currency: "USD",
    orderId: orderIds[4],
    createdAt: second(7),
  });
  const { id: _id, ...deposit } = data[2] ?? {};
  assert.deepEqual(deposit, {
    type: "deposit",
    amount: 200,
    balanceAfter: 5000 - 3 * CARD_PRICE_MINOR - 100 + 200,
    currency: "USD",
    note: "credit 2.00",
    createdAt: second(5),
  });
});

test("type, orderId, createdFrom and createdTo filter the statement, alone and combined", async () => {
  const [price, all] = [-CARD_PRICE_MINOR, await amounts("")];
  assert.deepEqual(await amounts("type=deposit"), [200, 5000]);
  assert.deepEqual(await amounts("type=adjustment"), [-100]);
  assert.deepEqual(await amounts("type=order"), [price, price, price, price, price]);
  assert.deepEqual(await amounts("type=refund"), []);
  assert.deepEqual(await amounts(`orderId=${orderIds[1]}`), [price]);
  assert.deepEqual(await amounts("orderId=ord_none"), []);
  assert.deepEqual(await amounts(`createdFrom=${second(5)}`), [price, price, 200]);
  assert.deepEqual(await amounts(`createdTo=${second(1)}`), [5000]);
  assert.deepEqual(await amounts(`createdFrom=${second(4)}&createdTo=${second(6)}`), [200, -100]);
  assert.deepEqual(await amounts(`createdFrom=${second(8)}`), []);
  assert.deepEqual(await amounts(`createdTo=${second(0)}`), []);
  assert.deepEqual(await amounts(`createdFrom=${second(6)}&createdTo=${second(5)}`), []);
  assert.deepEqual(await amounts(`type=deposit&createdFrom=${second(1)}`), [200]);
  assert.deepEqual(await amounts(`type=deposit&orderId=${orderIds[1]}`), []);
  assert.deepEqual(await amounts(`type=order&orderId=${orderIds[1]}&createdTo=${second(3)}`), [price]);
  assert.deepEqual(await amounts(`orderId=${orderIds[1]}&createdTo=${second(2)}`), []);
  assert.deepEqual(await amounts("cursor=&limit="), all);
});

test("time filters are exact: with an offset, in lowercase, and finer than a millisecond", async () => {
  const at = (text: string) => amounts(`type=deposit&createdFrom=${encodeURIComponent(text)}`);
  assert.deepEqual(await at("2040-01-31T13:30:05+01:30"), [200]);
  assert.deepEqual(await at("2040-01-31t12:00:05z"), [200]);
  assert.deepEqual(await at("2040-01-31T12:00:05.000000000Z"), [200]);
  assert.deepEqual(await at("2040-01-31T12:00:05.0000001Z"), []);
  const to = (text: string) => amounts(`type=deposit&createdTo=${encodeURIComponent(text)}`);
  assert.deepEqual(await to("2040-01-31T12:00:05.000Z"), [5000]);
  assert.deepEqual(await to("2040-01-31T12:00:05.0000001Z"), [200, 5000]);
});

test("pages of every size add up to the whole, with filters and during concurrent writes", async () => {
  for (const filter of ["", "type=order", `createdTo=${second(7)}`, `type=order&createdFrom=${second(2)}`]) {
    for (const limit of [1, 2, 3, 5]) {
      const whole = (await read(`${filter}&limit=100`)).data;
      const met: Shown[] = [];
      let cursor = "";
      do {
        const page = await read(`${filter}&limit=${limit}&cursor=${cursor}`);
        assert.equal(page.data.length, Math.min(limit, whole.length - met.length));
        met.push(...page.data);
        assert.equal(page.hasMore, page.nextCursor !== "");
        await moveFunds(scrip.db, scrip.clock, buyer, { direction: "credit", amount: "0.01", note: "" });
        cursor = page.nextCursor;
      } while (cursor !== "");
      assert.deepEqual(met, whole, `${filter} by ${limit}`);
    }
  }
});

test("a cursor works only with its filters, wallet and endpoint", async () => {
  const { nextCursor } = await read("limit=1&type=order");
  await read(`type=order&cursor=${nextCursor}`);
  const sandbox = (await scrip.addKey(buyer.resellerId, { env: "test" })).key;
  const stranger = (await addPoorBuyer()).key;
  const scope = { resellerId: buyer.resellerId, environment: "live", endpoint: "listOrders", filters: {} };
  const minted = createCursorCodec(scrip.secrets.cursorKey).encode(scope, "3");
  for (const [query, key] of [
    [`cursor=${nextCursor}`, buyer.key],
    [`type=deposit&cursor=${nextCursor}`, buyer.key],
    [`type=order&createdFrom=${second(0)}&cursor=${nextCursor}`, buyer.key],
    [`type=order&cursor=${nextCursor}`, sandbox],
    [`type=order&cursor=${nextCursor}`, stranger],
    [`cursor=${minted}`, buyer.key],
    ["cursor=junk", buyer.key],
  ] as const) {
    const reply = await scrip.call("GET", `/v1/wallet/entries?${query}`, { key });
    assert.deepEqual([reply.statusCode, reply.json().code], [400, "invalid_cursor"], query);
  }
});

test("an invalid filter returns 400 and is named", async () => {
  for (const [name, ...values] of [
    ["type", "Order", "gift", "%00"],
    ["orderId", "%00", "ord_1%00"],
    ["createdFrom", "yesterday", "2040-1-31", "2040-01-31T12:00:00", "2040-02-30T00:00:00Z", "1900000000"],
    ["createdTo", "2040-01-31T24:00:00Z", "2040-13-01T00:00:00Z", "2040-01-31T12:00:00+02:00", "%00"],
    ["limit", "-1", "x"],
    ["reference", "r"],
  ]) {
    for (const value of values) {
      const reply = await scrip.call("GET", `/v1/wallet/entries?${name}=${value}`, { key: buyer.key });
      assert.deepEqual([reply.statusCode, reply.json().code], [400, "invalid_request"], `${name}=${value}`);
      assert.equal(reply.json().errors[0].pointer, `?${name}`);
    }
  }
});

test("a wallet shows nothing of another wallet, even by its order id", async () => {
  const stranger = await addPoorBuyer();
  for (const query of ["", "type=order", `orderId=${orderIds[0]}`]) {
    assert.deepEqual((await read(query, stranger.key)).data, []);
  }
});
