import type { OrderStatus } from "../../src/orders/status.ts";
import {
  changeText,
  errorReply,
  isBasic,
  json,
  money,
  pageOf,
  withMoney,
  withoutNeeded,
} from "./dialect-parts.ts";
import type { Dialect, Reply } from "./upstream-dialect.ts";
import type { Refusal } from "./upstream-faults.ts";
import { codeOf, type Ledger, numberFrom, type Purchase, priceOf, statusOf } from "./upstream-ledger.ts";

export const DTONE_LOGIN = { apiKey: "dtone-key", apiSecret: "dtone-secret" };

/** DT One's API, as far as a buyer uses it. `logins` are the secrets that are accepted now. */
export function dtoneDialect(
  logins: () => readonly string[] = () => [DTONE_LOGIN.apiSecret],
  products: () => readonly unknown[] = () => PRODUCTS,
): Dialect {
  return {
    readRequest(request, body, ledger) {
      const isKnown = logins().some((one) => isBasic(request.headers.authorization, DTONE_LOGIN.apiKey, one));
      if (!isKnown) return { reply: errors(401, 1000401, "Unauthorized") };
      const url = new URL(request.url ?? "/", "http://dtone.example");
      if (request.method === "POST" && url.pathname === "/v1/async/transactions") return readOrder(body);
      const reference = url.searchParams.get("external_id");
      if (url.pathname === "/v1/transactions" && reference !== null)
        return { call: { verb: "list", reference } };
      return { reply: readRest(url, ledger, products()) };
    },
    placed: (purchase, replayed) => (replayed ? TAKEN : json(201, withMoney(JSON.stringify(view(purchase))))),
    listed: (purchases) => list(purchases),
    read: (purchase) => list([purchase]),
    codes: (purchase) => list([purchase]),
    missing: () => list([]),
    conflict: () => TAKEN,
    refused: (refusal) => errors(...REFUSALS[refusal]),
    error: (mishap) => errorReply(mishap, { errors: [{ code: 1000500, message: "Try later" }] }),
    spoil(verb, truth, mishap, variant, stranger) {
      if (mishap === "wrong-shape" && truth.text !== "[]") return withoutNeeded(truth, NEEDED, variant);
      if (mishap === "other-order")
        return verb === "list" ? list([stranger]) : json(201, withMoney(JSON.stringify(view(stranger))));
      if (mishap === "banana") return changeText(truth, /"class":\{"id":\d/, '"class":{"id":6');
      if (mishap === "back") return changeText(truth, /"class":\{"id":7/, '"class":{"id":5');
      if (mishap === "empty-codes") return changeText(truth, /"pin":\{"code":"[^"]*"/, '"pin":{"code":""');
      if (mishap === "odd-characters") return changeText(truth, /"pin":\{"code":"/, '"pin":{"code":"\\u0007');
      return undefined;
    },
  };
}

const NEEDED = ["id", "external_id", "status", "status.class", "status.class.id", "prices.wholesale.amount"];

const errors = (status: number, code: number, message: string): Reply =>
  json(status, { errors: [{ code, message }] });
const TAKEN = errors(400, 1007001, "External ID has already been used");

const REFUSALS: Readonly<Record<Refusal, [status: number, code: number, message: string]>> = {
  insufficient_funds: [400, 1006001, "Insufficient balance"],
  not_found: [400, 1003001, "Product is not available in your account"],
  out_of_stock: [400, 1003002, "Product is out of stock"],
  invalid_input_field: [400, 1005003, "Credit party mobile number is invalid"],
  product_not_purchasable: [422, 1009009, "Something else"],
};

const CLASSES: Readonly<Record<OrderStatus, readonly [id: number, name: string]>> = {
  pending: [2, "CONFIRMED"],
  processing: [5, "SUBMITTED"],
  completed: [7, "COMPLETED"],
  failed: [9, "DECLINED"],
  refunded: [9, "DECLINED"],
};

function classOf(purchase: Purchase): readonly [id: number, name: string] {
  if (purchase.reversed) return [8, "REVERSED"];
  const status = statusOf(purchase);
  if (status === "completed" && purchase.course.partial === "unsold") return CLASSES.failed;
  return CLASSES[status];
}

function view(purchase: Purchase) {
  const [id, name] = classOf(purchase);
  const { goods, inputFields = {} } = purchase;
  const isVoucher = Object.keys(inputFields).length === 0;
  const invalid =
    purchase.course.failureCode === "invalid_account" && id === 9 ? "-INVALID-CREDIT-PARTY" : "";
  return {
    id: Number(purchase.orderId),
    external_id: purchase.reference,
    creation_date: purchase.createdAt.toISOString(),
    status: { id: id * 10_000, message: `${name}${invalid}`, class: { id, message: name } },
    product: {
      id: Number(purchase.sku),
      type: isVoucher ? "FIXED_VALUE_PIN_PURCHASE" : "FIXED_VALUE_RECHARGE",
    },
    credit_party_identifier: inputFields,
    ...(isVoucher && goods && id === 7 ? { pin: { code: codeOf(goods), serial: "SN-7" } } : {}),
    prices: {
      wholesale: {
        amount: money(priceOf(purchase) - 5),
        fee: money(5),
        unit: purchase.course.currency ?? "USD",
        unit_type: "CURRENCY",
      },
    },
  };
}

const list = (purchases: readonly Purchase[]): Reply =>
  json(200, withMoney(JSON.stringify(purchases.map(view))));

function readOrder(text: string): ReturnType<Dialect["readRequest"]> {
  const body = JSON.parse(text) as Record<string, unknown>;
  const { external_id, product_id, auto_confirm, credit_party_identifier: party = {} } = body;
  if (typeof external_id !== "string" || typeof product_id !== "number" || auto_confirm !== true)
    return { reply: errors(400, 1000400, "Bad request") };
  const inputFields = party as Record<string, string>;
  const demand = {
    reference: external_id,
    id: numberFrom(external_id),
    account: external_id,
    unit: "",
    sku: String(product_id),
    inputFields,
  };
  return { call: { verb: "place", demand } };
}

function readRest(url: URL, ledger: Ledger, products: readonly unknown[]): Reply {
  if (url.pathname === "/v1/balances")
    return json(
      200,
      '[{"id": 1, "unit": "USD", "unit_type": "CURRENCY", "available": 900.75, "holding": 0}]',
    );
  const lists: Readonly<Record<string, () => Reply>> = {
    "/v1/products": () => json(200, pageOf(url, "per_page", products)),
    "/v1/transactions": () => list(pageOf(url, "per_page", ledger.list())),
  };
  const reply = lists[url.pathname]?.();
  // It has no empty lists.
  if (reply && reply.text !== "[]") return reply;
  return errors(404, 1000404, "Resource not found");
}

const PRODUCTS = [
  {
    id: 77,
    name: "Gems 100",
    type: "FIXED_VALUE_RECHARGE",
    operator: { id: 5, name: "Gem Quest", country: { iso_code: "US", name: "United States" } },
    destination: { amount: 1, unit: "USD", unit_type: "CURRENCY" },
    prices: { wholesale: { amount: 0.9135, fee: 0, unit: "USD", unit_type: "CURRENCY" } },
    required_credit_party_identifier_fields: [["account_number"]],
  },
];
