import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql, { type Sql } from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../../testing/builders/builders.ts";
import { blow, type StormWorld } from "../../../testing/builders/catalog-storm.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import { type ForkedNode, forkNode } from "../../../testing/processes/fork-node.ts";
import { createRandom, SEED } from "../../../testing/seed.ts";
import { connectDatabase, type Db } from "../../db/database.ts";

const {
  changes: CHANGES,
  resumed: RESUMED_MAX,
  isForked,
} = sizeFor("fuzz", {
  share: { changes: 100, resumed: 4, isForked: false },
  full: { changes: 10_000, resumed: Number.POSITIVE_INFINITY, isForked: true },
});
/** Followers look again after this many transactions. */
const BLOWS_BETWEEN = 5;
const TIMEOUT_MS = 20 * 60_000;
const PRODUCTS = 40;
const LIMITS = [1, 2, 7, 33, 100];

type Copy = Map<string, string>;
type Change = { productId: string; change: string; product?: object };
type Page = { data: Change[]; hasMore: boolean; nextCursor: string };
type Read = (url: string, key: string) => Promise<Page>;

let scrip: TestApp;
let otherDb: Db;
let forked: ForkedNode | undefined;
let world: StormWorld;
const keys: string[] = [];
const reads: Read[] = [];

before(async () => {
  scrip = await createTestApp();
  otherDb = connectDatabase({
    connectionString: scrip.connectionString,
    applicationName: "scrip test other",
    poolSize: 4,
    onConnectionLost: () => {},
  });
  const productIds = Array.from({ length: PRODUCTS }, (_, index) => `p-${index}`);
  await addProducts(scrip.db, [
    ...productIds.map((id) => ({ id })),
    { id: "never-shown", hidden: true },
    { id: "never-listed", hidden: true },
  ]);
  for (const productId of productIds) await addListPrice(scrip.db, { productId, amountMinor: 2375n });
  const resellerIds: string[] = [];
  for (const currency of ["USD", "USD", "EUR"]) {
    const { id } = await scrip.addReseller({ currency });
    resellerIds.push(id);
    keys.push((await scrip.addKey(id)).key);
  }
  keys.push((await scrip.addKey(resellerIds[0] ?? "", { env: "test" })).key);
  world = { resellerIds, productIds };
  reads.push(async (url, key) => (await scrip.call("GET", url, { key })).json());
  if (isForked) {
    const node = await forkNode("api", { connectionString: scrip.connectionString });
    forked = node;
    reads.push(
      async (url, key) =>
        (await fetch(node.url + url, { headers: { "X-API-Key": key } })).json() as Promise<Page>,
    );
  } else {
    const beside = await createTestApp({ beside: scrip, connect: async () => otherDb });
    reads.push(async (url, key) => (await beside.call("GET", url, { key })).json());
  }
});

after(async () => {
  await forked?.stop();
  await otherDb.close();
  await scrip.close();
});

const start = async (key: string): Promise<string> =>
  (await (reads[0] as Read)("/v1/catalog/changes", key)).nextCursor;

async function readWhole(key: string, read: Read): Promise<Copy> {
  const copy: Copy = new Map();
  let cursor = "";
  do {
    const page = await read(`/v1/catalog?limit=100&cursor=${cursor}`, key);
    for (const product of page.data as unknown as { id: string }[])
      copy.set(product.id, JSON.stringify(product));
    cursor = page.nextCursor;
  } while (cursor !== "");
  return copy;
}

function apply(copy: Copy, page: Page, limit: number): void {
  assert.ok(page.data.length <= limit);
  assert.notEqual(page.nextCursor, "");
  assert.equal(new Set(page.data.map(({ productId }) => productId)).size, page.data.length);
  for (const { productId, change, product } of page.data) {
    assert.equal(change === "upserted", product !== undefined);
    if (product) copy.set(productId, JSON.stringify(product));
    else copy.delete(productId);
  }
}

/** Follows until nothing is left. Calls back at every cursor. */
async function catchUp(
  key: string,
  from: { cursor: string; copy: Copy },
  pick: () => { read: Read; limit: number },
  onPage: (cursor: string, copy: Copy) => void = () => {},
): Promise<string> {
  let { cursor } = from;
  for (;;) {
    const { read, limit } = pick();
    const page = await read(`/v1/catalog/changes?limit=${limit}&since=${cursor}`, key);
    apply(from.copy, page, limit);
    cursor = page.nextCursor;
    onPage(cursor, from.copy);
    if (!page.hasMore) return cursor;
  }
}

test(`anyone who follows the changes has what a full read gives (seed ${SEED})`, {
  timeout: TIMEOUT_MS,
}, async () => {
  let left = CHANGES;
  let blows = 0;
  let wind = Promise.withResolvers<void>();
  const wake = () => {
    wind.resolve();
    wind = Promise.withResolvers();
  };
  const write = async (db: Db, seed: number) => {
    const random = createRandom(seed);
    while (left > 0) {
      left -= await blow(db, world, random);
      blows += 1;
      if (blows % BLOWS_BETWEEN === 0 || left <= 0) wake();
    }
  };
  const follow = async (key: string, index: number) => {
    const random = createRandom(SEED + 100 + index);
    const pick = () => ({ read: random.pick(reads), limit: random.pick(LIMITS) });
    let cursor = await start(key);
    const copy = await readWhole(key, random.pick(reads));
    const marks = [{ cursor, copy: new Map(copy) }];
    const mark = (at: string, state: Copy) => void marks.push({ cursor: at, copy: new Map(state) });
    while (left > 0) {
      cursor = await catchUp(key, { cursor, copy }, pick, mark);
      await Promise.race([wind.promise, writing]);
    }
    await writing;
    cursor = await catchUp(key, { cursor, copy }, pick, mark);
    const truth = await readWhole(key, random.pick(reads));
    assert.deepEqual(sorted(copy), sorted(truth), `follower ${index}`);
    for (const from of someOf(marks)) {
      await catchUp(key, from, random.chance(0.1) ? pick : () => ({ ...pick(), limit: 100 }));
      assert.deepEqual(sorted(from.copy), sorted(truth), `follower ${index} from ${from.cursor}`);
    }
    assert.deepEqual(
      await catchUp(key, { cursor, copy }, pick),
      cursor,
      "nothing is told when nothing changed",
    );
  };
  const writing = Promise.all([write(scrip.db, SEED), write(otherDb, SEED + 1)]);
  await Promise.all(keys.map(follow));
});

const sorted = (copy: Copy) => [...copy].sort(([one], [other]) => (one < other ? -1 : 1));
/** Each cursor once, or as many as there is time for. */
const someOf = <Mark extends { cursor: string }>(marks: readonly Mark[]): Mark[] => {
  const distinct = [...new Map(marks.map((mark) => [mark.cursor, mark])).values()];
  const step = Math.max(1, Math.ceil(distinct.length / RESUMED_MAX));
  return distinct.filter((_, index) => index % step === 0);
};

const tell = async (key: string, cursor: string) => {
  const { data, nextCursor } = await (reads[0] as Read)(`/v1/catalog/changes?since=${cursor}`, key);
  return { told: data.map(({ productId, change }) => `${productId} ${change}`), cursor: nextCursor };
};

test("a product that a reseller could never see is not told; one that it saw is told as removed", async () => {
  const [first = "", second = ""] = keys;
  const [resellerId = ""] = world.resellerIds;
  const cursors = [await start(first), await start(second)] as const;
  const set = (id: string, hidden: boolean) =>
    scrip.db.rows(sql`update products set hidden = ${hidden}, updated_at = now() where id = ${id}`);
  await set("never-shown", true);
  await scrip.db.rows(
    sql`insert into unlisted_products (reseller_id, product_id) values (${resellerId}, 'never-listed')`,
  );
  await set("never-listed", false);
  assert.deepEqual((await tell(first, cursors[0])).told, []);
  const seen = await tell(second, cursors[1]);
  assert.deepEqual(seen.told, ["never-listed upserted"]);
  await set("never-listed", true);
  assert.deepEqual((await tell(first, cursors[0])).told, []);
  assert.deepEqual((await tell(second, seen.cursor)).told, ["never-listed removed"]);
  const [p = ""] = world.productIds;
  await scrip.db.rows(sql`update products set hidden = false, active = true where id = ${p}`);
  await scrip.db.rows(sql`delete from unlisted_products where product_id = ${p}`);
  const now = await start(first);
  await scrip.db.rows(
    sql`insert into unlisted_products (reseller_id, product_id) values (${resellerId}, ${p})`,
  );
  assert.deepEqual((await tell(first, now)).told, [`${p} removed`]);
});

test("everything that changes what a reseller sees is told, once", async () => {
  await addProducts(scrip.db, [{ id: "watched" }, { id: "idle" }]);
  const { id: resellerId } = await scrip.addReseller({ priceList: "calm" });
  const { key } = await scrip.addKey(resellerId);
  const change = async (statement: Sql, expected = ["watched upserted"]) => {
    const cursor = await start(key);
    await scrip.db.rows(statement);
    assert.deepEqual((await tell(key, cursor)).told, expected, statement.sql);
  };
  const price = sql`(product_id, price_list, currency, amount_minor)`;
  await change(sql`update products set terms = 'None.' where id = 'watched'`);
  await change(sql`insert into list_prices ${price} values ('watched', 'calm', 'USD', 1)`);
  await change(sql`update list_prices set amount_minor = 2 where product_id = 'watched'`);
  await change(
    sql`update list_prices set updated_at = now(), amount_minor = 2 where product_id = 'watched'`,
    [],
  );
  await change(
    sql`insert into list_prices ${price} values ('watched', 'storm', 'USD', 1), ('idle', 'a', 'USD', 1)`,
    [],
  );
  await change(sql`delete from list_prices where product_id = 'watched' and price_list = 'calm'`);
  await change(sql`update resellers set price_list = 'storm' where id = ${resellerId}`);
  await change(sql`update resellers set name = 'Other', price_list = 'storm' where id = ${resellerId}`, []);
  await change(
    sql`insert into reseller_prices (reseller_id, product_id, amount_minor) values (${resellerId}, 'watched', 1)`,
  );
  await change(sql`update reseller_prices set amount_minor = 2 where reseller_id = ${resellerId}`);
  await change(sql`update resellers set currency = 'EUR' where id = ${resellerId}`);
  await change(sql`delete from reseller_prices where reseller_id = ${resellerId}`);
  await change(sql`update product_supply set state = 'empty' where product_id = 'watched'`);
  await change(sql`delete from product_supply where product_id = 'watched'`);
  await change(sql`insert into product_supply (product_id, state) values ('watched', 'available')`);
  await change(sql`insert into product_delivery_times (product_id, seconds) values ('watched', 1)`);
  await change(sql`update product_delivery_times set seconds = 2 where product_id = 'watched'`);
  await change(sql`delete from product_delivery_times where product_id = 'watched'`);
  await change(
    sql`insert into unlisted_products (reseller_id, product_id) values (${resellerId}, 'watched')`,
    ["watched removed"],
  );
  await change(sql`delete from unlisted_products where reseller_id = ${resellerId}`);
  await change(sql`update products set hidden = true where id = 'watched'`, ["watched removed"]);
  await change(sql`update products set hidden = false where id = 'watched'`);
  await change(sql`update products set active = false where id = 'watched'`, ["watched removed"]);
  await scrip.db.rows(sql`delete from list_prices where product_id = 'watched'`);
  await scrip.db.rows(sql`delete from product_supply where product_id = 'watched'`);
  await change(sql`delete from products where id = 'watched'`, ["watched removed"]);
});

test("a change of a price list that was not read before the reseller moved to another list is not lost", async () => {
  await addProducts(scrip.db, [{ id: "moving" }]);
  await addListPrice(scrip.db, { productId: "moving", amountMinor: 5n, priceList: "old" });
  const { id } = await scrip.addReseller({ priceList: "old" });
  const { key } = await scrip.addKey(id);
  const cursor = await start(key);
  await scrip.db.rows(sql`delete from list_prices where product_id = 'moving'`);
  await scrip.db.rows(sql`update resellers set price_list = 'new' where id = ${id}`);
  assert.deepEqual((await tell(key, cursor)).told, ["moving upserted"]);
});

test("a change that commits late is not lost", async () => {
  const [key = ""] = keys;
  const cursor = await start(key);
  const [one = "", other = ""] = world.productIds;
  await scrip.db.rows(sql`update products set hidden = false, active = true where id in (${one}, ${other})`);
  await scrip.db.rows(sql`delete from unlisted_products`);
  let told: Awaited<ReturnType<typeof tell>> | undefined;
  await scrip.db.transaction(async (tx) => {
    await tx.rows(sql`update products set name = 'Late' where id = ${one}`);
    told = await tell(key, cursor);
  });
  const { data } = await (reads[0] as Read)(`/v1/catalog/changes?since=${told?.cursor}`, key);
  assert.deepEqual(
    data.map(({ productId }) => productId),
    [one],
  );
});

test("a cursor of another reseller, environment or endpoint is 400 invalid_cursor, with its parameter", async () => {
  const [key = "", other = ""] = keys;
  const foreign = [await start(other), await start(keys.at(-1) ?? ""), "x", "0"];
  foreign.push((await (reads[0] as Read)("/v1/catalog?limit=1", key)).nextCursor);
  for (const since of foreign) {
    const reply = await scrip.call("GET", `/v1/catalog/changes?since=${since}`, { key });
    assert.equal(reply.statusCode, 400);
    assert.equal(reply.json().code, "invalid_cursor");
    assert.equal(reply.json().errors[0].pointer, "?since");
  }
  for (const query of ["limit=-1", "since=", "since=%zz"]) {
    const refused = await scrip.call("GET", `/v1/catalog/changes?${query}`, { key });
    assert.equal(refused.json().code, "invalid_request", query);
  }
});
