import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addBuyer, addCard, type Buyer, postOrder } from "../../testing/builders/buyers.ts";
import type { Tenant } from "../http/caller.ts";
import { createCursorCodec } from "../lib/cursor.ts";
import { firstIdAt } from "../lib/ids.ts";

/** Far more than one page examines. */
const SEEDED = 1_000;

let scrip: TestApp;
let buyer: Buyer;
let placed = 0;

before(async () => {
  scrip = await createTestApp();
  await addCard(scrip.db);
  buyer = await addBuyer(scrip, "1000000.00");
  await seedOrders(buyer);
});

after(() => scrip.close());

const idOf = (n: number): string =>
  firstIdAt("ord", Date.UTC(2020, 0, 1)).slice(0, -4) + String(n).padStart(4, "0");

/**
 * Every order has the product common and the reference shared, except every 400th, which is failed and has another
 * product.
 */
async function seedOrders(tenant: Tenant): Promise<void> {
  const ids = Array.from({ length: SEEDED }, (_, n) => idOf(n));
  await scrip.db.rows(sql`
    insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, reference, status, total_minor,
                        currency, key_id, created_at, updated_at)
    select id, ${tenant.resellerId}, ${tenant.environment}, 'seeded-' || id, sha256(''), 'shared',
           case when place % 400 = 1 then 'failed' else 'completed' end, 100, 'USD', 'key', now(), now()
    from unnest(${ids}::text[]) with ordinality as seeded (id, place)`);
  await scrip.db.rows(sql`
    insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor,
                             quantity, line_total_minor)
    select id, line, reseller_id, environment, case when status = 'failed' then 'rare' else 'common' end, 'Card', 50, 1, 50
    from orders, generate_series(0, 1) line`);
}

const LONG_AGO = "createdTo=2021-01-01T00:00:00Z";
const RARE = [800, 400, 0].map(idOf);

type Page = { data: { id: string }[]; hasMore: boolean; nextCursor: string };

async function read(query: string, key = buyer.key): Promise<Page> {
  const reply = await scrip.call("GET", `/v1/orders?${query}`, { key });
  assert.equal(reply.statusCode, 200, `${query}: ${reply.body}`);
  return reply.json();
}

async function walk(
  query: string,
  limit: number,
  afterPage: () => Promise<unknown> = async () => {},
): Promise<{ ids: string[]; pages: Page[] }> {
  const pages: Page[] = [];
  let cursor = "";
  do {
    const page = await read(`${query}&limit=${limit}&cursor=${cursor}`);
    assert.ok(page.data.length <= limit);
    assert.equal(page.hasMore, page.nextCursor !== "");
    pages.push(page);
    await afterPage();
    cursor = page.nextCursor;
  } while (cursor !== "");
  return { ids: pages.flatMap(({ data }) => data.map(({ id }) => id)), pages };
}

/** Four callers place orders until stopped. `next` waits for the next one. */
function startPlacing(): { next(): Promise<unknown>; stop(): Promise<void> } {
  const accepted = new EventEmitter();
  let stopped = false;
  const callers = Array.from({ length: 4 }, async () => {
    while (!stopped) {
      placed += 1;
      const body = { lines: [{ productId: "card", quantity: 1 }], reference: "shared" };
      assert.equal((await postOrder(scrip, buyer, `walk-${placed}`, body)).statusCode, 202);
      accepted.emit("order");
    }
  });
  return {
    next: () => once(accepted, "order"),
    async stop() {
      stopped = true;
      await Promise.all(callers);
    },
  };
}

for (const [query, limit] of [
  ["", 37],
  ["reference=shared", 100],
  ["productId=common", 41],
  ["status=completed", 100],
  [LONG_AGO, 50],
] as const) {
  test(`pages of ${limit} by "${query}" skip and repeat no existing order while others are placed`, async () => {
    const { ids: there } = await walk(query, 100);
    const placing = startPlacing();
    const { ids, pages } = await walk(query, limit, placing.next);
    await placing.stop();
    assert.deepEqual(ids, [...new Set(ids)].sort().reverse(), "newest first, each once");
    const met = new Set(ids);
    assert.deepEqual(
      there.filter((id) => !met.has(id)),
      [],
    );
    assert.ok(there.length >= SEEDED - RARE.length);
    for (const { data, hasMore } of pages)
      assert.ok(data.length === limit || !hasMore, "a page was not full");
  });
}

for (const query of ["status=failed&reference=shared", "reference=shared&productId=rare"]) {
  test(`rare matches are found by "${query}" page by page, even if a page examines many and returns none`, async () => {
    const { ids, pages } = await walk(query, 100);
    assert.deepEqual(ids, RARE);
    assert.ok(pages.length > 1 && pages.length < 20, `${pages.length} pages`);
    assert.ok(pages.some(({ data, hasMore }) => data.length === 0 && hasMore));
    const { ids: onesAtATime } = await walk(query, 1);
    assert.deepEqual(onesAtATime, RARE);
  });
}

test("combined filters with frequent matches fill their pages", async () => {
  const { ids, pages } = await walk(`status=completed&productId=common&reference=shared&${LONG_AGO}`, 100);
  assert.equal(ids.length, SEEDED - RARE.length);
  assert.ok(pages.slice(0, -1).every(({ data }) => data.length === 100));
});

test("limit is 50 if absent or zero, and at most 100", async () => {
  for (const [query, length] of [
    ["", 50],
    ["limit=0", 50],
    ["limit=", 50],
    ["limit=7", 7],
    ["limit=100", 100],
    ["limit=101", 100],
  ] as const) {
    assert.equal((await read(query)).data.length, length, query);
  }
});

test("a cursor works only with its filters, environment, reseller and endpoint", async () => {
  const query = `reference=shared&${LONG_AGO}`;
  const { data, nextCursor } = await read(`${query}&limit=5`);
  const next = await read(`${LONG_AGO}&limit=1&cursor=${nextCursor}&reference=shared`);
  assert.deepEqual([data[4]?.id, next.data[0]?.id], [idOf(SEEDED - 5), idOf(SEEDED - 6)]);
  const stranger = (await addBuyer(scrip)).key;
  const sandbox = (await scrip.addKey(buyer.resellerId, { env: "test" })).key;
  const cursors = createCursorCodec(scrip.secrets.cursorKey);
  const scope = { ...buyer, endpoint: "listWalletEntries", filters: {} };
  for (const [asked, key] of [
    [`cursor=${nextCursor}`, buyer.key],
    [`${LONG_AGO}&cursor=${nextCursor}`, buyer.key],
    [`reference=Shared&${LONG_AGO}&cursor=${nextCursor}`, buyer.key],
    [`${query}&status=completed&cursor=${nextCursor}`, buyer.key],
    [`${query}&cursor=${nextCursor}`, stranger],
    [`${query}&cursor=${nextCursor}`, sandbox],
    [`cursor=${cursors.encode(scope, idOf(5))}`, buyer.key],
    [`${query}&cursor=${nextCursor.slice(1)}`, buyer.key],
  ] as const) {
    const reply = await scrip.call("GET", `/v1/orders?${asked}`, { key });
    assert.deepEqual([reply.statusCode, reply.json().code], [400, "invalid_cursor"], asked);
  }
});
