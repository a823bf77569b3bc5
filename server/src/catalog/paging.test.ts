import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import { connectDatabase, type Db } from "../db/database.ts";
import { createCursorCodec } from "../lib/cursor.ts";
import { setHidden } from "./hide-product.ts";
import { setListing } from "./prices/set-listing.ts";
import { setPrice } from "./prices/set-price.ts";

const PRODUCTS = sizeFor("soak", { share: 2_500, full: 10_000 });
const CHANGES_PER_WALK_MIN = PRODUCTS / 500;

let scrip: TestApp;
let resellerId: string;
let key: string;

before(async () => {
  scrip = await createTestApp();
  resellerId = (await scrip.addReseller()).id;
  key = (await scrip.addKey(resellerId)).key;
  await addProducts(
    scrip.db,
    Array.from({ length: PRODUCTS }, (_, index) => ({ id: idOf(index) })),
  );
});

after(() => scrip.close());

const idOf = (index: number): string => `p-${String(index).padStart(5, "0")}`;

/** Even-numbered products are only repriced. Odd-numbered ones come and go. */
const STAYING = Array.from({ length: PRODUCTS / 2 }, (_, index) => idOf(index * 2));

for (const limit of [100, 99, 37]) {
  test(`paging through the catalog in pages of ${limit} returns each remaining product exactly once, in order, while others come and go`, async () => {
    const changes = startChanging();
    const seen: string[] = [];
    let cursor = "";
    do {
      const [page] = await Promise.all([
        readPage(`/v1/catalog?limit=${limit}&cursor=${cursor}`),
        // However slow the machine is, something changes beside each page.
        changes.next(),
      ]);
      assert.equal(page.data.length <= limit && (page.data.length === limit || !page.hasMore), true);
      seen.push(...page.data.map((product) => product.id));
      assert.equal(page.hasMore, page.nextCursor !== "");
      cursor = page.nextCursor;
    } while (cursor !== "");
    const made = await changes.stop();
    assert.ok(made >= CHANGES_PER_WALK_MIN, `only ${made} changes were made meanwhile`);
    assert.deepEqual([...new Set(seen)].sort(), seen, `repeated or out of order (seed ${SEED})`);
    const met = new Set(seen);
    assert.deepEqual(
      STAYING.filter((id) => !met.has(id)),
      [],
      `left out (seed ${SEED})`,
    );
  });
}

test("a cursor continues after its position even if the product there has been hidden", async () => {
  const first = await readPage("/v1/catalog?limit=3");
  const last = first.data.at(-1)?.id ?? "";
  await setHidden(scrip.db, scrip.clock, last, true);
  const second = await readPage(`/v1/catalog?limit=2&cursor=${first.nextCursor}`);
  assert.ok(second.data.every(({ id }) => id > last));
  await setHidden(scrip.db, scrip.clock, last, false);
});

test("a cursor with a character changed, removed or added returns 400 invalid_cursor", async () => {
  const { nextCursor } = await readPage("/v1/catalog?limit=5");
  for (let index = 0; index < nextCursor.length; index += 1) {
    const [head, tail] = [nextCursor.slice(0, index), nextCursor.slice(index + 1)];
    for (const character of ["A", "b", "9", "_", "="]) {
      if (character !== nextCursor[index]) await refusesCursor(head + character + tail);
    }
    if (index > 0) await refusesCursor(head);
  }
  for (const suffix of ["A", "AA", "AAAA", "=", "%20", "%00", nextCursor])
    await refusesCursor(nextCursor + suffix);
  for (const prefix of ["A", "%20", "%0a"]) await refusesCursor(prefix + nextCursor);
});

test("a cursor from another reseller, environment, endpoint or filter returns 400 invalid_cursor", async () => {
  const otherKey = (await scrip.addKey((await scrip.addReseller()).id)).key;
  const sandboxKey = (await scrip.addKey(resellerId, { env: "test" })).key;
  const siblingKey = (await scrip.addKey(resellerId)).key;
  const { data, nextCursor } = await readPage("/v1/catalog?limit=5");
  const last = data.at(-1)?.id ?? "";
  await refusesCursor(nextCursor, otherKey);
  await refusesCursor(nextCursor, sandboxKey);
  await refusesCursor((await readPage("/v1/catalog?limit=5", otherKey)).nextCursor);
  await refusesCursor((await readPage("/v1/catalog?limit=5", sandboxKey)).nextCursor);
  // Signed with the correct key, for another purpose.
  const cursors = createCursorCodec(scrip.secrets.cursorKey);
  const scope = { resellerId, environment: "live", endpoint: "listCatalog", filters: {} };
  const minted = (changes: Partial<typeof scope>) => cursors.encode({ ...scope, ...changes }, last);
  await refusesCursor(minted({ endpoint: "listOrders" }));
  await refusesCursor(minted({ filters: { status: "pending" } }));
  // Another key of the same reseller and environment is accepted.
  assert.equal(minted({}), nextCursor);
  const next = await readPage(`/v1/catalog?cursor=${nextCursor}`, siblingKey);
  assert.ok((next.data[0]?.id ?? "") > last);
});

test("garbage and overlong cursors return 400 invalid_cursor, and a duplicate one 400 invalid_request", async () => {
  const garbage = [
    "0",
    "null",
    "undefined",
    "[object%20Object]",
    "%27%20or%201=1--",
    "%F0%9F%98%80",
    "%ff",
    "..%2f..",
    "%",
  ];
  for (const text of [...garbage, "A".repeat(1_025), "A".repeat(12_000)]) await refusesCursor(text);
  const { nextCursor } = await readPage("/v1/catalog?limit=5");
  const repeated = await scrip.call("GET", `/v1/catalog?cursor=${nextCursor}&cursor=${nextCursor}`, { key });
  assert.equal(repeated.json().code, "invalid_request");
  assert.equal(repeated.json().errors[0].pointer, "?cursor");
});

test("limit is 1 to 100: absent or zero means 50, more means 100, and anything else returns 400", async () => {
  const lengths: Record<string, number> = {
    "": 50,
    "0": 50,
    "000": 50,
    "1": 1,
    "007": 7,
    "100": 100,
    "101": 100,
  };
  for (const [text, length] of Object.entries({ ...lengths, "1000000000": 100, ["9".repeat(400)]: 100 })) {
    assert.equal((await readPage(`/v1/catalog?limit=${text}`)).data.length, length, text);
  }
  const refused = [
    "-1",
    "-0",
    "abc",
    "1.5",
    "1.0",
    "1e1",
    "%205",
    "5%20",
    "+5",
    "%2B5",
    "0x10",
    "%D9%A3",
    "5%00",
    "1,2",
    "5&limit=5",
  ];
  for (const text of refused) {
    const reply = await scrip.call("GET", `/v1/catalog?limit=${text}`, { key });
    assert.equal(reply.statusCode, 400, text);
    assert.equal(reply.json().code, "invalid_request", text);
    assert.deepEqual(
      reply.json().errors.map((error: { pointer: string }) => error.pointer),
      ["?limit"],
      text,
    );
  }
  const { detail } = (await scrip.call("GET", "/v1/catalog?limit=-1", { key })).json();
  assert.equal(
    detail,
    "limit must be a whole number from 1 to 100, or 0 for the default of 50. Values above 100 count as 100.",
  );
});

test("an unknown parameter returns 400 and is named, including Object property names", async () => {
  for (const name of [
    "page",
    "Limit",
    "limit[]",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "é",
  ]) {
    const reply = await scrip.call("GET", `/v1/catalog?limit=5&${encodeURIComponent(name)}=1`, { key });
    assert.equal(reply.statusCode, 400, name);
    assert.equal(reply.json().errors[0].pointer, `?${name}`);
    assert.ok(reply.json().detail.includes(name), name);
  }
  assert.equal((await scrip.call("GET", `/v1/products/${idOf(2)}?limit=5`, { key })).statusCode, 400);
});

type Page = { data: { id: string }[]; hasMore: boolean; nextCursor: string };

async function readPage(url: string, withKey = key): Promise<Page> {
  const reply = await scrip.call("GET", url, { key: withKey });
  assert.equal(reply.statusCode, 200, `${url.slice(0, 200)}: ${reply.body}`);
  return reply.json();
}

async function refusesCursor(cursor: string, withKey = key): Promise<void> {
  const reply = await scrip.call("GET", `/v1/catalog?cursor=${cursor}`, { key: withKey });
  assert.equal(reply.statusCode, 400, cursor.slice(0, 100));
  assert.equal(reply.json().code, "invalid_cursor", cursor.slice(0, 100));
  assert.equal(reply.json().errors[0].pointer, "?cursor");
}

/** Changes the catalog over its own connection until stopped. `stop` returns the number of changes. */
function startChanging(): { next(): Promise<void>; stop(): Promise<number> } {
  const random = createRandom(SEED);
  const db = connectDatabase({
    connectionString: scrip.connectionString,
    applicationName: "scrip test changes",
    poolSize: 1,
    onConnectionLost: () => {},
  });
  let [stopped, made] = [false, 0];
  let changed = Promise.withResolvers<void>();
  const loop = (async () => {
    for (; !stopped; made += 1) {
      await changeSomething(db, random.pick(CHANGES), random.below(PRODUCTS / 2));
      changed.resolve();
      changed = Promise.withResolvers<void>();
    }
  })();
  // A change that fails ends whoever waits for the next one.
  loop.catch((error) => changed.reject(error));
  return {
    next: () => changed.promise,
    async stop() {
      stopped = true;
      await loop;
      await db.close();
      return made;
    },
  };
}

const CHANGES = ["insert", "hide", "show", "reprice", "unlist", "list"] as const;
let inserted = 0;

async function changeSomething(db: Db, change: (typeof CHANGES)[number], index: number): Promise<void> {
  const productId = idOf(index * 2 + 1);
  switch (change) {
    case "insert":
      inserted += 1;
      return addProducts(db, [{ id: `${idOf(index)}-${inserted}` }]);
    case "hide":
    case "show":
      await setHidden(db, scrip.clock, productId, change === "hide");
      return;
    case "unlist":
    case "list":
      return setListing(db, { resellerId, productId, listed: change === "list" });
    case "reprice": {
      const target = { kind: "list", priceList: "standard", currency: "USD" } as const;
      await setPrice(db, scrip.clock, {
        productId: idOf(index * 2),
        target,
        amount: "9.99",
        strike: undefined,
      });
    }
  }
}
