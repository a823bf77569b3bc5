import assert from "node:assert/strict";
import { test } from "node:test";
import { orderPage, type ShownOrder } from "./order-page.ts";

const HOSTILE = "x\u001b]0;owned\u0007\u202egnp.exe\r\nStatus  completed";
const ESCAPED = "x\\u{1b}]0;owned\\u{7}\\u{202e}gnp.exe\\u{d}\\u{a}Status  completed";

const MONEY = { amount: 123_450, currency: "USD" };
const SHOWN: ShownOrder = {
  resellerId: "rsl_1",
  env: "live",
  idempotencyKey: HOSTILE,
  placedBy: { kind: "key", id: HOSTILE },
  order: {
    id: "ord_1",
    status: "failed",
    total: MONEY,
    refundedTotal: { amount: 0, currency: "USD" },
    reference: HOSTILE,
    createdAt: "2030-01-31T12:00:00.000Z",
    updatedAt: "2030-01-31T12:05:00.000Z",
    lines: [
      {
        productId: "card",
        name: HOSTILE,
        unitPrice: MONEY,
        lineTotal: MONEY,
        quantity: 1,
        inputFields: { player: HOSTILE },
        fulfilledQuantity: 0,
        refundedQuantity: 0,
        failureCode: "out_of_stock",
      },
    ],
  },
  refundHeld: true,
  attempts: [],
};

test("order show escapes text of callers: it cannot control the terminal or fake a line", () => {
  const page = orderPage(SHOWN);
  assert.doesNotMatch(page.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
  assert.equal(page.split("\n").filter((line) => line.startsWith("Status")).length, 1);
  assert.equal(page.split(ESCAPED).length - 1, 5, "actor, key, reference, name and input");
});

test("order show says that a refund is on hold, and shows money in full", () => {
  const page = orderPage(SHOWN);
  assert.match(page, /^Refunded +0\.00 USD; the refund is on hold$/m);
  assert.match(page, /^Total +1,234\.50 USD$/m);
  assert.match(page, /^ +0 +card +1 +0 +0 +1,234\.50 USD +out_of_stock /m);
});
