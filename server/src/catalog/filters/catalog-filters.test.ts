import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addListPrice, addProducts, setSupply } from "../../../testing/builders/builders.ts";
import { blow } from "../../../testing/builders/catalog-storm.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import { createRandom, SEED } from "../../../testing/seed.ts";
import type { Db, QueryOptions, Statement } from "../../db/database.ts";
import type { Caller, Tenant } from "../../http/caller.ts";
import { createCursorCodec } from "../../lib/cursor.ts";
import { listProducts } from "../list-products.ts";
import { createRenderedReplies, type RenderedReplies } from "../rendered-replies.ts";
import type { CatalogFilters } from "./catalog-filters.ts";
import { createCatalogFinder } from "./catalog-finder.ts";
import { foldText } from "./fold-text.ts";

type Product = {
  id: string;
  name: string;
  brand?: string;
  category?: string;
  country?: string;
  purchasable: boolean;
};
type Page = { data: Product[]; hasMore: boolean; nextCursor: string };

const ROUNDS = sizeFor("fuzz", { share: 25, full: 2_000 });

const PRODUCTS = [
  {
    id: "nim-10",
    name: "Nimbus Störe 10 USD",
    brand: "Nimbus",
    category: "Games",
    country: "US",
    type: "gift_card",
  },
  {
    id: "nim-25",
    name: "Nimbus Störe 25 USD",
    brand: "Nimbus",
    category: "Games",
    country: "DE",
    type: "gift_card",
  },
  { id: "pk-1", name: "Coins", brand: "POKÉMON", category: "Top-ups", type: "top_up" },
  { id: "zz-1", name: "Łódź 100%_", brand: "Straße", category: "Games", type: "top_up" },
  { id: "zz-2", name: "Plain", type: "gift_card" },
];

let scrip: TestApp;
let resellerId: string;
let key: string;
let testKey: string;

before(async () => {
  scrip = await createTestApp();
  resellerId = (await scrip.addReseller()).id;
  key = (await scrip.addKey(resellerId)).key;
  testKey = (await scrip.addKey(resellerId, { env: "test" })).key;
  await addProducts(scrip.db, PRODUCTS);
  await scrip.db.rows(sql`
    update products p set brand = d.brand, category = d.category, country = d.country, type = d.type
    from jsonb_to_recordset(${JSON.stringify(PRODUCTS)}::jsonb)
      as d (id text, brand text, category text, country text, type text)
    where p.id = d.id`);
  for (const { id } of PRODUCTS) await addListPrice(scrip.db, { productId: id, amountMinor: 2375n });
  await scrip.db.rows(sql`delete from list_prices where product_id = 'zz-1'`);
  await setSupply(scrip.db, ["pk-1"], "empty");
});

after(() => scrip.close());

const read = async (query: Record<string, string>, as = key): Promise<Page> => {
  const reply = await scrip.call("GET", `/v1/catalog?${new URLSearchParams(query)}`, { key: as });
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.json();
};
const idsOf = async (query: Record<string, string>, as = key): Promise<string> =>
  (await read(query, as)).data.map(({ id }) => id).join(" ");

const CASES: [query: Record<string, string>, expected: string][] = [
  [{ q: "NIMBUS" }, "nim-10 nim-25"],
  [{ q: "store nimbus" }, "nim-10 nim-25"],
  [{ q: "stÖre 25" }, "nim-25"],
  [{ q: "nim-1" }, "nim-10"],
  [{ q: "pokemon" }, "pk-1"],
  [{ q: "strasse" }, "zz-1"],
  [{ q: "lodz" }, "zz-1"],
  [{ q: "100%_" }, "zz-1"],
  [{ q: "%" }, "zz-1"],
  [{ q: "nimbus pokemon" }, ""],
  [{ brand: "Nimbus" }, "nim-10 nim-25"],
  [{ brand: "nimbus" }, ""],
  [{ category: "Games" }, "nim-10 nim-25 zz-1"],
  [{ country: "DE" }, "nim-25"],
  [{ country: "de" }, "nim-25"],
  [{ country: "FR" }, ""],
  [{ type: "top_up" }, "pk-1 zz-1"],
  [{ purchasable: "true" }, "nim-10 nim-25 zz-2"],
  [{ purchasable: "false" }, "pk-1 zz-1"],
  [{ purchasable: "false", type: "gift_card" }, ""],
  [
    { q: "usd", brand: "Nimbus", category: "Games", country: "US", type: "gift_card", purchasable: "true" },
    "nim-10",
  ],
];

test("each filter finds its products, alone and together", async () => {
  for (const [query, expected] of CASES) assert.equal(await idsOf(query), expected, JSON.stringify(query));
  assert.equal(await idsOf({ purchasable: "true" }, testKey), "nim-10 nim-25 pk-1 zz-2");
});

test("a change is found by the next request: name, price, supply, listing, visibility, new products", async () => {
  const change = async (
    statement: ReturnType<typeof sql>,
    query: Record<string, string>,
    expected: string,
  ) => {
    await scrip.db.rows(statement);
    assert.equal(await idsOf(query), expected, statement.sql);
  };
  await change(sql`update products set name = 'Fresh' where id = 'zz-2'`, { q: "fresh" }, "zz-2");
  await change(sql`update products set name = 'Plain' where id = 'zz-2'`, { q: "fresh" }, "");
  await change(
    sql`update product_supply set state = 'available' where product_id = 'pk-1'`,
    { q: "pk", purchasable: "true" },
    "pk-1",
  );
  await change(
    sql`insert into reseller_prices (reseller_id, product_id, amount_minor) values (${resellerId}, 'zz-1', 5)`,
    { q: "zz", purchasable: "true" },
    "zz-1 zz-2",
  );
  await change(sql`delete from reseller_prices`, { q: "zz", purchasable: "true" }, "zz-2");
  await change(sql`delete from list_prices where product_id = 'zz-2'`, { q: "zz", purchasable: "true" }, "");
  await change(
    sql`insert into unlisted_products (reseller_id, product_id) values (${resellerId}, 'nim-10')`,
    { brand: "Nimbus" },
    "nim-25",
  );
  await change(sql`delete from unlisted_products`, { brand: "Nimbus" }, "nim-10 nim-25");
  await change(sql`update products set hidden = true where id = 'nim-25'`, { brand: "Nimbus" }, "nim-10");
  await change(
    sql`update products set hidden = false where id = 'nim-25'`,
    { brand: "Nimbus" },
    "nim-10 nim-25",
  );
  await addProducts(scrip.db, [{ id: "a-new", name: "Nimbus new" }]);
  assert.equal(await idsOf({ q: "nimbus" }), "a-new nim-10 nim-25");
});

test("filtered pages follow one another, and a cursor works only with the filters it came from", async () => {
  const first = await read({ q: "nimbus", limit: "1" });
  assert.deepEqual([first.data.map(({ id }) => id), first.hasMore], [["a-new"], true]);
  const second = await read({ q: "nimbus", limit: "1", cursor: first.nextCursor });
  assert.deepEqual(
    second.data.map(({ id }) => id),
    ["nim-10"],
  );
  const others = [{}, { q: "usd" }, { q: "nimbus", type: "gift_card" }, { brand: "nimbus" }];
  for (const filters of others as Record<string, string>[]) {
    const query = new URLSearchParams({ ...filters, cursor: first.nextCursor });
    const reply = await scrip.call("GET", `/v1/catalog?${query}`, { key });
    assert.equal(reply.json().code, "invalid_cursor", query.toString());
  }
});

test("a filter that is empty, too long or has no such value is 400 invalid_request and names the parameter", async () => {
  const refused: [name: string, value: string][] = [
    ["q", ""],
    ["q", " "],
    ["q", "a".repeat(101)],
    ["q", "a b c d e f g h i j k"],
    ["q", "\0"],
    ["brand", ""],
    ["brand", "a".repeat(101)],
    ["category", "a".repeat(101)],
    ["country", "xx"],
    ["country", "XX"],
    ["country", "USA"],
    ["type", "card"],
    ["purchasable", "yes"],
    ["purchasable", "TRUE"],
  ];
  for (const [name, value] of refused) {
    const reply = await scrip.call("GET", `/v1/catalog?${new URLSearchParams({ [name]: value })}`, { key });
    assert.equal(reply.statusCode, 400, `${name}=${value}`);
    assert.equal(reply.json().code, "invalid_request");
    assert.equal(reply.json().errors[0].pointer, `?${name}`);
  }
});

test("filtered pages have an ETag, and are kept apart from the other pages", async () => {
  const page = await scrip.call("GET", "/v1/catalog?q=nimbus", { key });
  const again = { key, headers: { "if-none-match": String(page.headers.etag) } };
  assert.equal((await scrip.call("GET", "/v1/catalog?q=nimbus", again)).statusCode, 304);
  const kept: string[] = [];
  const spy = (name: string): RenderedReplies => {
    const replies = createRenderedReplies();
    return {
      get(...asked) {
        kept.push(name);
        return replies.get(...asked);
      },
    };
  };
  const deps = {
    db: scrip.db,
    cursors: createCursorCodec(scrip.secrets.cursorKey),
    finder: createCatalogFinder(scrip.db),
    renderedReplies: spy("all"),
    filteredReplies: spy("filtered"),
  };
  const caller = { resellerId, environment: "live", catalogRevision: "0" } as Caller;
  for (const filters of [{}, { q: "nimbus" }, { purchasable: false }, {}])
    await listProducts(deps, caller, { limit: 1, after: undefined, filters }, JSON.stringify);
  assert.deepEqual(kept, ["all", "filtered", "filtered", "all"]);
});

test("a process that starts reads the tables once, and finds what changes while it does", async (t) => {
  const statements: string[] = [];
  const meanwhile: Record<string, () => Promise<unknown>> = {
    "list-indexed": () => scrip.db.rows(sql`update products set name = 'Late name' where id = 'zz-2'`),
    "list-priced": () => addListPrice(scrip.db, { productId: "zz-1", amountMinor: 5n }),
  };
  t.after(async () => {
    await scrip.db.rows(sql`update products set name = 'Plain' where id = 'zz-2'`);
    await scrip.db.rows(sql`delete from list_prices where product_id = 'zz-1'`);
  });
  const db: Db = {
    ...scrip.db,
    async rows<Row>(query: Statement, options: QueryOptions = {}) {
      const rows = await scrip.db.rows<Row>(query, options);
      const { name = "" } = options;
      statements.push(name);
      await meanwhile[name]?.();
      delete meanwhile[name];
      return rows;
    },
  };
  const finder = createCatalogFinder(db);
  const tenant: Tenant = { resellerId, environment: "test" };
  const find = async (filters: CatalogFilters) =>
    (await finder.find(tenant, filters, { afterId: "", limit: 10 })).products.map(({ id }) => id).join(" ");
  assert.equal(await find({ q: "late" }), "zz-2");
  assert.equal(await find({ q: "zz-1", purchasable: true }), "zz-1");
  assert.equal(statements.filter((name) => name === "list-indexed").length, 1);
  assert.equal(statements.filter((name) => name === "list-priced").length, 1);
  assert.ok(statements.includes("list-indexed-since") && statements.includes("list-list-flags"));
});

const QUERIES: Record<string, string>[] = [
  { q: "name 1" },
  { q: "NAME" },
  { brand: "Nimbus" },
  { purchasable: "true" },
  { purchasable: "false" },
  { brand: "Nimbus", purchasable: "true" },
  { type: "top_up" },
  { q: "nimbus", type: "gift_card" },
];

/** The same, worked out from a full read. */
const select = (products: Product[], query: Record<string, string>, types: Map<string, string>): string[] =>
  products
    .filter((product) => {
      const text = foldText(`${product.id} ${product.name} ${product.brand ?? ""}`);
      const words = foldText(query.q ?? "").split(" ");
      return (
        words.every((word) => text.includes(word)) &&
        (query.brand === undefined || query.brand === product.brand) &&
        (query.type === undefined || query.type === types.get(product.id)) &&
        (query.purchasable === undefined || query.purchasable === String(product.purchasable))
      );
    })
    .map(({ id }) => id);

test(`filtered pages are what a full read gives, after any changes (seed ${SEED})`, async () => {
  const random = createRandom(SEED);
  const rows = await scrip.db.rows<{ id: string; type: string }>(sql`select id, type from products`);
  const types = new Map(rows.map(({ id, type }) => [id, type]));
  const world = { resellerIds: [resellerId], productIds: rows.map(({ id }) => id) };
  for (let round = 0; round < ROUNDS; round += 1) {
    await blow(scrip.db, world, random);
    const as = random.pick([key, testKey]);
    const { data: all } = await read({ limit: "100" }, as);
    const query = random.pick(QUERIES);
    const found: string[] = [];
    const limit = String(1 + random.below(4));
    let cursor = "";
    do {
      const page = await read({ ...query, limit, cursor }, as);
      found.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== "");
    assert.deepEqual(found, select(all, query, types), `round ${round}: ${JSON.stringify(query)}`);
  }
});
