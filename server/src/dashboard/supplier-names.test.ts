import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { apiRoutes, type ObjectKind } from "../../testing/app/api-routes.ts";
import { MATRIX } from "../../testing/app/dashboard-matrix.ts";
import { addListPrice } from "../../testing/builders/builders.ts";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { createHandClock } from "../../testing/hand-clock.ts";
import { openDashboardDesk } from "../../testing/people/dashboard-desk.ts";
import {
  addFilledProducts,
  type FilledReseller,
  fillReseller,
} from "../../testing/people/filled-reseller.ts";
import { COMMAND } from "../../testing/people/people-desk.ts";
import { addAnsweringSupplier } from "../../testing/upstream/answering-supplier.ts";
import { SUPPLIER_KINDS } from "../../testing/upstream/supplier-fakes.ts";
import { SCOPES } from "../http/caller.ts";
import { createKey } from "../keys/create-key.ts";
import { problemCodes } from "../lib/problem-table.ts";
import { applySync, proposeSync } from "../suppliers/sync/sync-supplier.ts";
import { GUIDE_NAMES } from "../web/docs/read-guides.ts";

/** The suppliers' names, and their numbers of products and of a purchase. */
const NAMES = { reloadly: "Quokka Wholesale", bamboo: "Zanzibar Cards", dtone: "Obsidian Refills" } as const;
const NUMBERS = {
  reloadly: 900_845_210_017,
  bamboo: 900_845_210_033,
  dtone: 900_845_210_055,
  purchase: 700_061_234_561,
};
const SECRET = /reloadly|bamboo|dt[\s_-]?one\b|quokka|zanzibar|obsidian|9008452100|700061234561/i;

let desk: Awaited<ReturnType<typeof openDashboardDesk>>;
let filled: FilledReseller;
let liveKey: string;
let productIds: string[];
const liveOrders: string[] = [];

const CATALOGS = {
  reloadly: {
    path: "/products",
    body: {
      content: [
        {
          productId: NUMBERS.reloadly,
          productName: "Reloadly Nimbus US by Quokka Wholesale",
          recipientCurrencyCode: "USD",
          senderCurrencyCode: "USD",
          senderFee: 0,
          fixedRecipientDenominations: [10],
          fixedRecipientToSenderDenominationsMap: { 10: 9.75 },
          brand: { brandName: "Nimbus (Reloadly)" },
          country: { isoName: "US" },
        },
      ],
    },
  },
  bamboo: {
    path: "/api/integration/v2.0/catalog",
    body: {
      items: [
        {
          name: "Bamboo",
          countryCode: "DE",
          currencyCode: "EUR",
          products: [
            {
              ...{
                id: NUMBERS.bamboo,
                name: "Zephyr 25 - ZANZIBAR-cards",
                minFaceValue: 25,
                maxFaceValue: 25,
              },
              price: { min: 24, currencyCode: "EUR" },
            },
          ],
        },
      ],
    },
  },
  dtone: {
    path: "/v1/products",
    body: [
      {
        id: NUMBERS.dtone,
        name: "DT One Gems",
        operator: { name: "Obsidian  Refills", country: { iso_code: "MEX" } },
        destination: { amount: 100, unit: "MXN" },
        prices: { wholesale: { amount: 5, fee: 0, unit: "USD" } },
      },
    ],
  },
};

/** The first supplier sells, the others refuse. */
const sell = ({ body }: { body: string }) =>
  JSON.stringify({
    ...{ transactionId: NUMBERS.purchase, amount: 9.75, currencyCode: "USD", status: "SUCCESSFUL" },
    customIdentifier: JSON.parse(body).customIdentifier,
    product: { productId: NUMBERS.reloadly, unitPrice: 10 },
  });
const refuse = (text: object) => () => ({ status: 400, text: JSON.stringify(text) });

before(async () => {
  desk = await openDashboardDesk({ clock: createHandClock(new Date()) });
  const { db, clock, keyring } = desk;
  const suppliers: Record<string, ReturnType<Awaited<ReturnType<typeof addAnsweringSupplier>>["open"]>> = {};
  for (const kind of SUPPLIER_KINDS) {
    const { id, answers, open, close } = await addAnsweringSupplier(
      { db, clock, keyring },
      kind,
      NAMES[kind],
    );
    after(close);
    answers[CATALOGS[kind].path] = JSON.stringify(CATALOGS[kind].body);
    answers["/orders"] = sell;
    answers[`/orders/transactions/${NUMBERS.purchase}/cards`] = JSON.stringify([
      { cardNumber: "CARD-1", pinCode: null },
    ]);
    answers["/api/integration/v1.0/orders/checkout"] = refuse({
      reason: "Bamboo: out of stock at Zanzibar Cards",
    });
    answers["/v1/async/transactions"] = refuse({
      errors: [{ code: 1003001, message: "DT One: not available at Obsidian Refills" }],
    });
    suppliers[id] = open();
    await proposeSync({ db, clock, keyring }, id);
    assert.equal((await applySync({ db, clock }, id, {}, COMMAND)).new, 1, kind);
  }
  const rows = await db.rows<{ id: string }>(
    sql`select distinct product_id as id from supplier_routes order by id`,
  );
  productIds = rows.map(({ id }) => id);
  for (const productId of productIds) await addListPrice(db, { productId, amountMinor: 1_000n });
  await addFilledProducts(desk, "Filled card");
  filled = await fillReseller(desk, "Corner shop");
  const tenant = { resellerId: filled.resellerId, environment: "live" } as const;
  const created = await createKey(
    { db, clock, pepper: desk.secrets.pepper },
    { ...tenant, name: "shop", scopes: SCOPES, allowedIps: [], expiresAt: undefined },
  );
  liveKey = created.key;
  for (const productId of productIds) {
    const reply = await desk.call("POST", "/v1/orders", {
      key: liveKey,
      headers: { "content-type": "application/json", "idempotency-key": productId },
      body: JSON.stringify({ lines: [{ productId, quantity: 1 }], reference: `shop ${productId}` }),
    });
    assert.equal(reply.statusCode, 202, reply.body);
    liveOrders.push(reply.json().order.id);
  }
  await createTestFulfiller(desk, { suppliers }).drain();
});
after(() => desk?.close());

function assertSilent(where: string, text: string): void {
  const found = SECRET.exec(text);
  if (found)
    assert.fail(
      `${where} names "${found[0]}": …${text.slice(Math.max(0, found.index - 80), found.index + 80)}…`,
    );
}

test("a reseller's products, delivered and refused, have ids of brand, country and value", async () => {
  assert.deepEqual(productIds, ["gems-mx-100", "nimbus-us-10", "zephyr-de-25"]);
  const statuses = await Promise.all(
    liveOrders.map(
      async (id) => (await desk.call("GET", `/v1/orders/${id}`, { key: liveKey })).json().order.status,
    ),
  );
  assert.deepEqual(statuses, ["refunded", "completed", "refunded"]);
});

test("no reply of the API and no event names a supplier, its kind or its numbers", async () => {
  const document = (await desk.call("GET", "/openapi.json", {})).json();
  const listed = async (path: string, member: string) =>
    (await desk.call("GET", path, { key: liveKey }))
      .json()
      .data.map((row: Record<string, string>) => row[member]);
  const objects: Partial<Record<ObjectKind, string[]>> = {
    product: productIds,
    order: liveOrders,
    event: await listed("/v1/events", "id"),
    request: await listed("/v1/requests", "id"),
  };
  let read = 0;
  for (const route of apiRoutes(document)) {
    if (route.method !== "GET" && route.operationId !== "checkProductInput") continue;
    const urls = route.object ? (objects[route.object] ?? []).map((id) => route.callOn(id).url) : [route.url];
    for (const url of urls) {
      const reply = await desk.call(route.method, url, { key: liveKey });
      assert.ok(reply.statusCode < 500, url);
      assertSilent(`${route.method} ${url}`, `${JSON.stringify(reply.headers)}${reply.body}`);
      read += 1;
    }
  }
  assert.ok(read > 25, `${read} replies`);
  const events = await desk.db.rows<{ text: string }>(sql`select e::text as text from events e`);
  assert.ok(events.length > 3);
  for (const { text } of events) assertSilent("an event", text);
});

test("no page and no file of the dashboard names them, nor a letter to a reseller", async () => {
  const owner = await desk.join(filled.resellerId, "owner");
  for (const [key, { ids }] of Object.entries(MATRIX)) {
    if (!key.startsWith("GET ")) continue;
    const path = key.slice("GET ".length);
    const own = ids?.(filled).id;
    const places = path.includes("/catalog/:id")
      ? productIds
      : [own ?? "", ...(path.includes("/orders/") ? liveOrders : [])];
    for (const id of places)
      for (const env of ["", "?env=test"]) {
        const reply = await owner.get(`${path.replace(":id", id)}${env}`);
        assert.ok(reply.statusCode < 500, path);
        assertSilent(`${path}${env}`, reply.body);
      }
  }
  const letters = await desk.db.rows<{ text: string }>(sql`select l::text as text from letters l`);
  assert.ok(letters.length > 0);
  for (const { text } of letters) assertSilent("a letter", text);
});

test("no public page, guide or document names them", async () => {
  const paths = [
    ...["/", "/openapi.json", "/docs/", "/docs/guides/", "/errors"],
    ...GUIDE_NAMES.flatMap((name) => [`/docs/guides/${name}`, `/docs/guides/${name}.md`]),
    ...problemCodes.map((code) => `/errors/${code}`),
  ];
  for (const path of paths) {
    const reply = await desk.call("GET", path, { headers: { accept: "text/html, */*" } });
    assert.equal(reply.statusCode, 200, path);
    assertSilent(path, reply.body);
  }
});
