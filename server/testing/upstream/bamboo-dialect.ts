import type { OrderStatus } from "../../src/orders/status.ts";
import { changeText, errorReply, isBasic, json, money, withMoney, withoutNeeded } from "./dialect-parts.ts";
import type { Dialect, Reply } from "./upstream-dialect.ts";
import type { Refusal } from "./upstream-faults.ts";
import { codeOf, type Ledger, numberFrom, type Purchase, priceOf, statusOf } from "./upstream-ledger.ts";

export const BAMBOO_LOGIN = { clientId: "bamboo-client", clientSecret: "bamboo-secret", accountId: "17" };

const ORDERS = "/api/integration/v1.0/orders";

/** Bamboo's API, as far as a buyer uses it. `logins` are the secrets that are accepted now. */
export function bambooDialect(logins: () => readonly string[] = () => [BAMBOO_LOGIN.clientSecret]): Dialect {
  return {
    readRequest(request, body, ledger) {
      const isKnown = logins().some((one) =>
        isBasic(request.headers.authorization, BAMBOO_LOGIN.clientId, one),
      );
      if (!isKnown) return { reply: json(401, { message: "Unauthorized" }) };
      const url = new URL(request.url ?? "/", "http://bamboo.example");
      if (request.method === "POST" && url.pathname === `${ORDERS}/checkout`) return readOrder(body);
      const id = new RegExp(`^${ORDERS}/([0-9a-f-]{36})$`).exec(url.pathname)?.[1];
      if (id !== undefined) return { call: { verb: "list", reference: id } };
      return { reply: readRest(url, ledger) };
    },
    placed: (purchase, replayed) => (replayed ? TAKEN : json(200, JSON.stringify(purchase.reference))),
    listed: ([purchase]) => (purchase ? order(purchase) : MISSING),
    read: order,
    codes: order,
    missing: () => MISSING,
    conflict: () => TAKEN,
    refused: (refusal) => json(REFUSALS[refusal].status, { message: REFUSALS[refusal].message }),
    error: (mishap) => errorReply(mishap, { message: "Try later" }),
    spoil(verb, truth, mishap, variant, stranger) {
      if (mishap === "wrong-shape" && verb === "list") return withoutNeeded(truth, NEEDED, variant);
      if (mishap === "wrong-shape") return json(200, variant % 2 === 0 ? "null" : { request: "ok" });
      if (mishap === "other-order")
        return verb === "list" ? order(stranger) : json(200, JSON.stringify(stranger.reference));
      if (mishap === "banana") return changeText(truth, /"status":"\w+"/, '"status":"Banana"');
      if (mishap === "early")
        return changeText(truth, /"status":"(Created|Processing)"/, '"status":"Succeeded"');
      if (mishap === "back") return changeText(truth, /"status":"Succeeded"/, '"status":"Processing"');
      return undefined;
    },
  };
}

const NEEDED = [
  "requestId",
  "status",
  "items",
  "items.cards",
  "items.cards.cardCode",
  "items.cards.pin",
  "items.cards.status",
];
const MISSING = json(404, { message: "Order not found" });
const TAKEN = json(400, { message: "An order with this RequestId already exists" });

const REFUSALS: Readonly<Record<Refusal, { status: number; message: string }>> = {
  insufficient_funds: { status: 400, message: "Insufficient balance" },
  not_found: { status: 400, message: "Product not found" },
  out_of_stock: { status: 400, message: "Out of stock" },
  invalid_input_field: { status: 400, message: "Value is invalid" },
  product_not_purchasable: { status: 422, message: "Something else" },
};

const STATUSES: Readonly<Record<OrderStatus, string>> = {
  pending: "Created",
  processing: "Processing",
  completed: "Succeeded",
  failed: "Failed",
  refunded: "Failed",
};

function statusText({ course, reversed, ...purchase }: Purchase): string {
  if (reversed) return "Refunded";
  const status = statusOf({ course, reversed, ...purchase });
  return status === "completed" && course.partial ? "PartialFailed" : STATUSES[status];
}

function cardsOf({ goods, course }: Purchase): object[] {
  if (!goods || course.partial === "unsold") return [];
  const pin = goods.type === "code" ? (goods.pin ?? null) : null;
  return [
    {
      id: 1,
      serialNumber: "SN-1",
      cardCode: codeOf(goods),
      pin,
      expirationDate: "2031-05-01T00:00:00",
      status: "Sold",
    },
  ];
}

const view = (purchase: Purchase) => ({
  orderId: Number(purchase.orderId),
  requestId: purchase.reference,
  status: statusText(purchase),
  total: money(priceOf(purchase)),
  currency: "USD",
  createdDate: purchase.createdAt.toISOString().slice(0, 19),
  items: [
    {
      productId: Number(purchase.sku),
      productFaceValue: purchase.value ?? 1,
      quantity: 1,
      currencyCode: "USD",
      cards: cardsOf(purchase),
    },
  ],
});

function order(purchase: Purchase): Reply {
  return json(200, withMoney(JSON.stringify(view(purchase))));
}

function readOrder(text: string): ReturnType<Dialect["readRequest"]> {
  const { RequestId, AccountId, Products } = JSON.parse(text) as Record<string, unknown>;
  const [product, ...others] = (Products ?? []) as Record<string, unknown>[];
  const isWhole =
    typeof RequestId === "string" && String(AccountId) === BAMBOO_LOGIN.accountId && others.length === 0;
  if (
    !isWhole ||
    typeof product?.ProductId !== "number" ||
    product.Quantity !== 1 ||
    typeof product.Value !== "number"
  )
    return { reply: json(400, { message: "Invalid request" }) };
  const demand = {
    reference: RequestId,
    id: numberFrom(RequestId),
    account: RequestId,
    unit: "",
    sku: String(product.ProductId),
    value: product.Value,
  };
  return { call: { verb: "place", demand } };
}

function readRest(url: URL, ledger: Ledger): Reply {
  if (url.pathname === "/api/integration/v1.0/accounts")
    return json(
      200,
      '{"accounts": [{"id": 17, "currency": "USD", "balance": 1234.50, "isActive": true, "sandboxMode": false}]}',
    );
  if (url.pathname === "/api/integration/v2.0/catalog")
    return json(200, {
      pageIndex: 0,
      pageSize: 100,
      count: 1,
      items: url.searchParams.get("PageIndex") === "0" ? BRANDS : [],
    });
  if (url.pathname === "/api/integration/v1.0/exchange-rates")
    return json(
      200,
      '{"baseCurrencyCode": "USD", "rates": [{"currencyCode": "USD", "value": 1}, {"currencyCode": "EUR", "value": 0.92150000000000004}, {"currencyCode": "XXQ", "value": 7.5}]}',
    );
  if (url.pathname === ORDERS) return json(200, withMoney(JSON.stringify(ledger.list().map(view))));
  return json(404, { message: "Not found" });
}

const BRANDS = [
  {
    internalId: "nimbus-us",
    name: "Nimbus",
    countryCode: "US",
    currencyCode: "USD",
    products: [
      {
        id: 881,
        name: "Nimbus US 25",
        minFaceValue: 25,
        maxFaceValue: 25,
        count: null,
        price: { min: 23.8, max: 23.8, currencyCode: "USD" },
      },
    ],
  },
];
