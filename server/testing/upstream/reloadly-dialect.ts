import type { OrderStatus } from "../../src/orders/status.ts";
import type { Goods } from "../../src/suppliers/goods.ts";
import { changeText, errorReply, json, money, pageOf, withMoney, withoutNeeded } from "./dialect-parts.ts";
import type { Dialect, Reply } from "./upstream-dialect.ts";
import type { Refusal } from "./upstream-faults.ts";
import { codeOf, type Ledger, numberFrom, type Purchase, priceOf, statusOf } from "./upstream-ledger.ts";

export const RELOADLY_LOGIN = { clientId: "reloadly-client", clientSecret: "reloadly-secret" };

export type ReloadlyFakeOptions = {
  /** How long a token lives. It ends while purchases are under way. */
  tokenMs?: number;
  /** Credentials that are accepted now. Tests replace and revoke them. */
  logins?: () => readonly string[];
  /** Whether the sign-in answers with a page of HTML now. */
  isSignInBroken?: () => boolean;
  /** Its catalog, one product by default. */
  products?: () => readonly unknown[];
};

/** Reloadly's API for gift cards, as far as a buyer uses it. */
export function reloadlyDialect({
  tokenMs = 3_600_000,
  logins,
  isSignInBroken = () => false,
  products = () => PRODUCTS,
}: ReloadlyFakeOptions = {}): Dialect {
  const tokens = new Map<string, number>();
  const accepts = logins ?? (() => [RELOADLY_LOGIN.clientSecret]);

  const signIn = (body: string): Reply => {
    if (isSignInBroken())
      return { status: 200, headers: { "content-type": "text/html" }, text: "<h1>Soon</h1>" };
    const { client_id, client_secret, grant_type, audience } = JSON.parse(body) as Record<string, string>;
    const isKnown = client_id === RELOADLY_LOGIN.clientId && accepts().includes(client_secret ?? "");
    if (!isKnown || grant_type !== "client_credentials" || !audience)
      return json(401, { errorCode: "INVALID_CREDENTIALS", message: "Access Denied" });
    const token = `token-${tokens.size}`;
    tokens.set(token, Date.now() + tokenMs);
    return json(200, { access_token: token, expires_in: Math.ceil(tokenMs / 1_000), token_type: "Bearer" });
  };

  return {
    readRequest(request, body, ledger) {
      const url = new URL(request.url ?? "/", "http://reloadly.example");
      if (url.pathname === "/oauth/token") return { reply: signIn(body) };
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
      if ((tokens.get(token) ?? 0) < Date.now()) return { reply: DENIED };
      if (request.method === "POST" && url.pathname === "/orders") return readOrder(body);
      const id = /^\/orders\/transactions\/([^/]+)\/cards$/.exec(url.pathname)?.[1];
      if (id !== undefined) return { call: { verb: "codes", orderId: id } };
      const reference = url.searchParams.get("customIdentifier");
      if (url.pathname === "/reports/transactions" && reference !== null)
        return { call: { verb: "list", reference } };
      return { reply: readRest(url, ledger, products()) };
    },
    placed: (purchase, replayed) => (replayed ? TAKEN : json(200, withMoney(JSON.stringify(view(purchase))))),
    listed: (purchases) => page(purchases),
    read: (purchase) => page([purchase]),
    codes: (purchase) =>
      purchase.goods
        ? cards(purchase.goods, purchase.course.isLongNumber === true)
        : json(404, { errorCode: "CARDS_NOT_READY", message: "No cards yet" }),
    missing: (verb) =>
      verb === "list" ? page([]) : json(404, { errorCode: "NOT_FOUND", message: "Not found" }),
    conflict: () => TAKEN,
    refused: (refusal) =>
      json(REFUSALS[refusal].status, { errorCode: REFUSALS[refusal].code, message: "Refused" }),
    error: (mishap) => errorReply(mishap, { errorCode: mishap.toUpperCase(), message: "Try later" }),
    spoil(verb, truth, mishap, variant, stranger) {
      if (mishap === "wrong-shape" && verb === "codes")
        return withoutNeeded(truth, ["cardNumber", "pinCode"], variant);
      if (mishap === "wrong-shape")
        return withoutNeeded(
          truth,
          verb === "list" ? NEEDED.map((one) => `content.${one}`) : NEEDED,
          variant,
        );
      if (mishap === "other-order")
        return verb === "list"
          ? page([stranger])
          : verb === "place"
            ? json(200, withMoney(JSON.stringify(view(stranger))))
            : undefined;
      if (mishap === "banana") return changeText(truth, /"status":"\w+"/, '"status":"BANANA"');
      if (mishap === "early")
        return changeText(truth, /"status":"(PENDING|PROCESSING)"/, '"status":"SUCCESSFUL"');
      if (mishap === "back") return changeText(truth, /"status":"SUCCESSFUL"/, '"status":"PROCESSING"');
      if (mishap === "odd-characters")
        return changeText(truth, /"cardNumber":"/, '"cardNumber":"\\u0007\\u202e');
      if (mishap === "empty-codes") return json(200, []);
      if (mishap === "extra-code")
        return json(200, [
          { cardNumber: "X-1", pinCode: "1" },
          { cardNumber: "X-2", pinCode: "2" },
        ]);
      return undefined;
    },
  };
}

const NEEDED = ["transactionId", "status", "customIdentifier", "amount", "currencyCode"];
const DENIED = json(401, { errorCode: "TOKEN_EXPIRED", message: "Full authentication is required" });
const TAKEN = json(400, {
  errorCode: "DUPLICATE_CUSTOM_IDENTIFIER",
  message: "customIdentifier already used",
});

const REFUSALS: Readonly<Record<Refusal, { status: number; code: string }>> = {
  insufficient_funds: { status: 400, code: "INSUFFICIENT_BALANCE" },
  not_found: { status: 404, code: "PRODUCT_NOT_FOUND" },
  out_of_stock: { status: 400, code: "OUT_OF_STOCK" },
  invalid_input_field: { status: 400, code: "INVALID_UNIT_PRICE" },
  product_not_purchasable: { status: 422, code: "SOMETHING_ELSE" },
};

const STATUSES: Readonly<Record<OrderStatus, string>> = {
  pending: "PENDING",
  processing: "PROCESSING",
  completed: "SUCCESSFUL",
  failed: "FAILED",
  refunded: "REFUNDED",
};

function statusText(purchase: Purchase): string {
  if (purchase.reversed) return "REFUNDED";
  const status = statusOf(purchase);
  return status === "completed" && purchase.course.partial === "unsold" ? "FAILED" : STATUSES[status];
}

const view = (purchase: Purchase) => ({
  transactionId: Number(purchase.orderId),
  amount: money(priceOf(purchase)),
  discount: money(3),
  currencyCode: purchase.course.currency ?? "USD",
  fee: money(5),
  smsFee: money(0),
  status: statusText(purchase),
  customIdentifier: purchase.reference,
  product: {
    productId: Number(purchase.sku),
    productName: "Card",
    quantity: 1,
    unitPrice: purchase.value ?? 1,
    totalPrice: purchase.value ?? 1,
    currencyCode: "USD",
  },
  transactionCreatedTime: purchase.createdAt.toISOString().slice(0, 19).replace("T", " "),
});

/** A number is written as a number, as Reloadly does. */
function cards(goods: Goods, isNumber: boolean): Reply {
  const pinCode = goods.type === "code" ? (goods.pin ?? null) : null;
  if (!isNumber) return json(200, [{ cardNumber: codeOf(goods), pinCode }]);
  return json(200, `[{"cardNumber":${codeOf(goods)},"pinCode":${pinCode === null ? null : `"${pinCode}"`}}]`);
}

const page = (purchases: readonly Purchase[]): Reply =>
  json(
    200,
    withMoney(
      JSON.stringify({ content: purchases.map(view), totalElements: purchases.length, size: 1, number: 1 }),
    ),
  );

function readOrder(text: string): ReturnType<Dialect["readRequest"]> {
  const body = JSON.parse(text) as Record<string, unknown>;
  const { productId, quantity, unitPrice, customIdentifier } = body;
  const isWhole =
    typeof productId === "number" && quantity === 1 && typeof unitPrice === "number" && unitPrice > 0;
  if (!isWhole || typeof customIdentifier !== "string" || "recipientEmail" in body)
    return { reply: json(400, { errorCode: "INVALID_REQUEST", message: "Invalid request" }) };
  const demand = {
    reference: customIdentifier,
    id: numberFrom(customIdentifier),
    account: customIdentifier,
    unit: "",
    sku: String(productId),
    value: unitPrice,
  };
  return { call: { verb: "place", demand } };
}

function readRest(url: URL, ledger: Ledger, products: readonly unknown[]): Reply {
  if (url.pathname === "/accounts/balance")
    return json(200, '{"balance": 5000.25, "currencyCode": "USD", "updatedAt": "2026-01-01 10:00:00"}');
  if (url.pathname === "/products") return json(200, { content: pageOf(url, "size", products) });
  if (url.pathname === "/reports/transactions") return page(pageOf(url, "size", ledger.list()));
  return json(404, { errorCode: "NOT_FOUND", message: "Not found" });
}

const PRODUCTS = [
  {
    productId: 4521,
    productName: "Nimbus US",
    global: false,
    denominationType: "FIXED",
    recipientCurrencyCode: "USD",
    senderCurrencyCode: "USD",
    senderFee: 0.05,
    discountPercentage: 3,
    fixedRecipientDenominations: [10, 25],
    fixedRecipientToSenderDenominationsMap: { "10.0": 9.7, "25.0": 24.25 },
    brand: { brandId: 2, brandName: "Nimbus" },
    country: { isoName: "US", name: "United States" },
  },
];
