import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJsonNumbersAsText } from "../../lib/strict-json.ts";
import { percentOf } from "../calls/decimal-amount.ts";
import { amountOf, lowered } from "./discount.ts";
import { judgeTransaction } from "./judge-reloadly.ts";
import { listReloadlyOffers, readReloadlyStatement } from "./list-reloadly.ts";
import type { ReloadlyClient } from "./reloadly-client.ts";
import { parseReloadlyConfig } from "./reloadly-config.ts";

const PRODUCT = `{
  "productId": 4521, "productName": "Nimbus US", "recipientCurrencyCode": "USD", "senderCurrencyCode": "USD", "senderFee": 0.05,
  "discountPercentage": 3, "fixedRecipientDenominations": [10, 25],
  "fixedRecipientToSenderDenominationsMap": {"10.0": 9.7, "25.0": 24.25}
}`;
const TRANSACTION = `{
  "transactionId": 10657, "amount": 59.99, "discount": 1.66, "currencyCode": "USD", "status": "SUCCESSFUL", "customIdentifier": "ours-1",
  "transactionCreatedTime": "2026-02-28 13:46:00"
}`;
const LOGIN = { clientId: "id", clientSecret: "text" };

test("the discount is credited only if the config says so, as true or false", () => {
  const creditedIn = (more: object) => parseReloadlyConfig({ ...LOGIN, ...more }).discountCredited;
  assert.deepEqual(
    [creditedIn({}), creditedIn({ discountCredited: false }), creditedIn({ discountCredited: true })],
    [false, false, true],
  );
  for (const odd of ["true", "yes", 1, null])
    assert.throws(
      () => creditedIn({ discountCredited: odd }),
      /^RangeError: discountCredited must be true or false$/,
    );
});

test("the published example: what is charged and what it costs, with the discount credited and without", () => {
  const transaction = parseJsonNumbersAsText('{"amount": 3139.45, "discount": 25.65, "currencyCode": "USD"}');
  assert.deepEqual([amountOf(transaction, false), amountOf(transaction, true)], ["3139.45", "3113.8"]);
  assert.equal(percentOf("2850", "0.9"), "25.65");
  for (const odd of [undefined, "-1", "n/a"])
    assert.equal(lowered("10", odd, true), "10", "what is no discount lowers nothing");
});

for (const [isDiscountCredited, costs, charged] of [
  [false, [975n, 2_430n], 5_999n],
  // 9.70 + 0.05 − 3 % of 9.70, which is 0.291, rounded up.
  [true, [946n, 2_358n], 5_833n],
] as const)
  test(`offers, purchases and statement are read alike with the discount ${isDiscountCredited ? "" : "not "}credited`, async () => {
    const reader = (content: string): ReloadlyClient => ({
      call: async () => ({
        ...{ kind: "answer", status: 200, isEmpty: false, headers: {} },
        body: parseJsonNumbersAsText(`{"content": [${content}]}`),
      }),
      isDiscountCredited,
    });
    const limit = () => ({ signal: AbortSignal.timeout(5_000), deadlineMs: 0 });
    const [offers = []] = await all(listReloadlyOffers(reader(PRODUCT), limit));
    assert.deepEqual(
      offers.map((offer) => ("cost" in offer ? offer.cost?.amountMinor : undefined)),
      costs,
    );
    const period = [new Date("2026-01-01T00:00:00Z"), new Date("2027-01-01T00:00:00Z")] as const;
    const [entries = []] = await all(readReloadlyStatement(reader(TRANSACTION), limit, ...period));
    const verdict = judgeTransaction(
      parseJsonNumbersAsText(TRANSACTION),
      "ours-1",
      undefined,
      isDiscountCredited,
    );
    const [entry] = entries;
    assert.ok(verdict.kind === "sold" && entry && "price" in entry);
    assert.deepEqual(
      [entry.price, verdict.price],
      [
        { amountMinor: charged, currency: "USD" },
        { amountMinor: charged, currency: "USD" },
      ],
    );
  });

async function all<Page>(pages: AsyncIterable<Page>): Promise<Page[]> {
  const read: Page[] = [];
  for await (const page of pages) read.push(page);
  return read;
}
