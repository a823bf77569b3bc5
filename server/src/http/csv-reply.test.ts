import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createClient } from "@scrip/sdk";
import { parse } from "csv-parse/sync";
import sql from "sql-template-tag";
import { postOrder } from "../../testing/builders/buyers.ts";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../testing/builders/shop.ts";
import { wantsCsv } from "./csv-reply.ts";

let shop: Shop;
let orderId: string;
const FORMULA = '=HYPERLINK("https://evil.example")';

before(async () => {
  shop = await openShop();
  const productId = await shop.addStocked([
    { type: "code", code: "=1+1", pin: "0042" },
    { type: "code", code: 'QUOTED "A", B' },
    { type: "code", code: "LEFT" },
  ]);
  const body = { lines: [{ productId, quantity: 2 }], reference: FORMULA };
  orderId = (await postOrder(shop.scrip, shop.buyer, "csv", body)).json().order.id;
  await shop.order([productId, 1]);
  await createTestFulfiller(shop.scrip).drain();
});
after(() => shop.close());

async function read(url: string, accept = "text/csv", key = shop.buyer.key) {
  const reply = await shop.scrip.call("GET", url, { key, headers: { accept } });
  const rows = (reply.statusCode === 200 && accept === "text/csv" ? parse(reply.body) : []) as string[][];
  return { reply, rows };
}

test("Accept decides between CSV and JSON, and JSON is the default", () => {
  const wanted = (accept: string) => wantsCsv({ headers: { accept } });
  for (const accept of [
    "text/csv",
    "Text/CSV; q=0.5",
    "text/csv, */*",
    "text/csv,application/json",
    "application/json;q=0.4, text/csv;q=0.5",
  ])
    assert.ok(wanted(accept), accept);
  for (const accept of [
    "",
    "*/*",
    "text/*",
    "application/json",
    "application/json, text/csv",
    "text/csv;q=0",
    "text/csv;q=0.1, application/json",
    "text/csv;q=x",
    "text/csvx",
  ])
    assert.ok(!wanted(accept), accept);
  assert.ok(!wantsCsv({ headers: {} }));
});

test("the codes of an order as CSV: recorded as a reveal, formulas defused, quotes kept", async () => {
  const { reply, rows } = await read(`/v1/orders/${orderId}/codes`);
  assert.equal(reply.headers["content-type"], "text/csv; charset=utf-8");
  assert.equal(reply.headers["cache-control"], "no-store");
  const [heads = [], ...codes] = rows;
  assert.deepEqual(heads.slice(0, 7), ["id", "lineIndex", "productId", "type", "code", "pin", "serial"]);
  assert.deepEqual(
    codes.map((cells) => [cells[4], cells[5]]),
    [
      ["'=1+1", "0042"],
      ['QUOTED "A", B', ""],
    ],
  );
  const [reveal] = await shop.scrip.db.rows<{ count: number }>(
    sql`select code_count as count from code_reveals where order_id = ${orderId}`,
  );
  assert.equal(reveal?.count, 2);
  const { key } = await shop.scrip.addKey(shop.buyer.resellerId, { scopes: ["wallet:read"] });
  const refused = await read(`/v1/orders/${orderId}/codes`, "text/csv", key);
  assert.equal(refused.reply.statusCode, 403);
  assert.match(String(refused.reply.headers["content-type"]), /^application\/problem\+json/);
});

test("the seal of a code is exact in CSV, also if it begins like a formula", async () => {
  await shop.scrip.db.rows(sql`
    update codes set sealed = null, kid = '-AAAAAAAAAAAAAAAAAAAAA', enc = ${Buffer.alloc(32, 0xfb)}, ciphertext = ${Buffer.alloc(33, 0xfb)}
    where order_id = ${orderId} and line_index = 0 and unit_index = 1`);
  const { data } = (await read(`/v1/orders/${orderId}/codes`, "application/json")).reply.json();
  const { kid, enc, ciphertext } = data[1].sealed;
  assert.match(`${kid} ${enc} ${ciphertext}`, /^-\S+ -\S+ -\S+$/);
  const { rows } = await read(`/v1/orders/${orderId}/codes`);
  assert.deepEqual(rows[2]?.slice(-3), [kid, enc, ciphertext]);
});

test("orders and statement as CSV have the rows of their JSON, page by page", async () => {
  for (const [path, first] of [
    ["/v1/orders", "id"],
    ["/v1/wallet/entries", "id"],
  ] as const) {
    const { data } = (await read(path, "application/json")).reply.json();
    const ids: (string | undefined)[] = [];
    for (let url: string | undefined = `${path}?limit=1`; url !== undefined; ) {
      const { reply, rows } = await read(url);
      assert.equal(rows[0]?.[0], first);
      ids.push(...rows.slice(1).map(([id]) => id));
      url = /<(.+)>; rel="next"/.exec(String(reply.headers.link ?? ""))?.[1];
    }
    assert.deepEqual(
      ids,
      data.map(({ id }: { id: string }) => id),
    );
  }
  const { rows } = await read(`/v1/orders?reference=${encodeURIComponent(FORMULA)}`);
  assert.deepEqual(rows[1]?.slice(4, 9), [`'${FORMULA}`, "2.00", "0.00", "USD", "2"]);
  const entries = await read("/v1/wallet/entries?type=order");
  assert.deepEqual(entries.rows[1]?.slice(1, 5), ["order", "-1.00", "99997.00", "USD"]);
});

test("the SDK reads CSV, and follows its pages", async () => {
  await shop.scrip.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = shop.scrip.app.server.address() as { port: number };
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: shop.buyer.key });
  assert.match(await client.orders.codesCsv(orderId), /^id,lineIndex,.*\r\ncod_/);
  const first = await client.orders.listCsv({ limit: 1 });
  assert.notEqual(first.nextCursor, "");
  const second = await client.orders.listCsv({ limit: 1, cursor: first.nextCursor });
  assert.ok(second.csv.includes(orderId) && second.nextCursor === "");
  assert.match((await client.wallet.entriesCsv({ type: "order" })).csv, /,-2\.00,/);
  await assert.rejects(client.orders.codesCsv("ord_none"), { code: "not_found" });
});
