import { toCountry } from "../../lib/countries.ts";
import { isCurrency } from "../../lib/currencies.ts";
import type { Json } from "../../lib/strict-json.ts";
import { checkedEntry, oddRow, readAmounts } from "../calls/checked-reading.ts";
import { percentOf, plainDecimal } from "../calls/decimal-amount.ts";
import { isSuccess, listOf, objectAt, reasonOf, textAt } from "../calls/read-answer.ts";
import { type PagedList, readPages } from "../calls/read-pages.ts";
import type { CallLimit } from "../calls/throttle.ts";
import { type OfferRow, type StatementRow, SupplierUnreadable } from "../supplier.ts";
import { amountOf, lowered } from "./discount.ts";
import { reloadlyState } from "./judge-reloadly.ts";
import type { ReloadlyClient } from "./reloadly-client.ts";

const PAGE_SIZE = 200;
const PAGE_MAX_BYTES = 16 * 1024 * 1024;

/** Every product at every fixed face value. */
export const listReloadlyOffers = (
  client: ReloadlyClient,
  limit: () => CallLimit,
): AsyncIterable<readonly OfferRow[]> =>
  readPages(listAt(client, limit, "/products", {}), (product) =>
    toOffers(product, client.isDiscountCredited),
  );

function toOffers(product: Json, isDiscountCredited: boolean): readonly OfferRow[] {
  const members = objectAt(product);
  const sku = textAt(product, "productId");
  const name = textAt(product, "productName");
  if (sku === undefined || !/^\d{1,15}$/.test(sku))
    return [oddRow(sku, "productId", "is missing or not a number")];
  if (name === undefined) return [oddRow(sku, "productName", "is missing")];
  if (objectAt(members?.additionalRequirements)?.userIdRequired === true)
    return [{ sku, left: "account_data" }];
  const values = listOf(members?.fixedRecipientDenominations) ?? [];
  if (values.length === 0) {
    const isRanged = textAt(product, "denominationType") === "RANGE";
    return [{ sku, left: isRanged ? "range" : "no_value" }];
  }
  const currency = textAt(product, "recipientCurrencyCode");
  if (currency === undefined || !isCurrency(currency))
    return [oddRow(sku, "recipientCurrencyCode", "is missing or not a currency")];
  const brand = textAt(product, "brand", "brandName");
  const country = toCountry(textAt(product, "country", "isoName"));
  const about = {
    ...{ sku, name },
    ...(brand === undefined ? {} : { brand }),
    ...(country === undefined ? {} : { country }),
  };
  const percentage = textAt(product, "discountPercentage");
  // The fee has no discount.
  const costOf = (paid: string) =>
    lowered(paid, percentage && percentOf(paid, percentage), isDiscountCredited);
  const map = objectAt(members?.fixedRecipientToSenderDenominationsMap) ?? {};
  const costs = new Map(Object.entries(map).map(([value, cost]) => [plainDecimal(value), cost]));
  return values.map((told): OfferRow => {
    const value = typeof told === "string" ? plainDecimal(told) : undefined;
    if (value === undefined)
      return oddRow(sku, "fixedRecipientDenominations", "has a value that is not a positive amount");
    const paid = costs.get(value);
    const cost = readAmounts(
      {
        fixedRecipientToSenderDenominationsMap: typeof paid === "string" ? costOf(paid) : undefined,
        senderFee: textAt(product, "senderFee"),
      },
      ["senderCurrencyCode", textAt(product, "senderCurrencyCode")],
    );
    if ("reason" in cost) return oddRow(`${sku}@${value}`, cost.field, cost.reason);
    return { ...about, value, face: { amount: value, currency }, cost };
  });
}

/** What Reloadly booked in a period. Its times have no zone; they are taken as UTC. */
export async function* readReloadlyStatement(
  client: ReloadlyClient,
  limit: () => CallLimit,
  from: Date,
  to: Date,
): AsyncIterable<readonly StatementRow[]> {
  const query = { startDate: dateText(from), endDate: dateText(to) };
  const list = listAt(client, limit, "/reports/transactions", query);
  for await (const page of readPages<StatementRow>(list, (row) => [toEntry(row, client.isDiscountCredited)]))
    yield page.filter((row) => !("at" in row) || !row.at || (row.at >= from && row.at < to));
}

const dateText = (time: Date): string => time.toISOString().slice(0, 19).replace("T", " ");

const toEntry = (transaction: Json, isDiscountCredited: boolean): StatementRow =>
  checkedEntry({
    state: reloadlyState(textAt(transaction, "status")),
    reference: textAt(transaction, "customIdentifier"),
    upstreamId: textAt(transaction, "transactionId"),
    price: readAmounts({ amount: amountOf(transaction, isDiscountCredited) }, [
      "currencyCode",
      textAt(transaction, "currencyCode"),
    ]),
    at: new Date(`${(textAt(transaction, "transactionCreatedTime") ?? "").replace(" ", "T")}Z`),
    fields: { state: "status", id: "transactionId", price: "amount" },
  });

const listAt = (
  client: ReloadlyClient,
  limit: () => CallLimit,
  path: string,
  query: Readonly<Record<string, string>>,
): PagedList => ({
  first: 1,
  size: PAGE_SIZE,
  async read(page) {
    const text = new URLSearchParams({ ...query, size: String(PAGE_SIZE), page: String(page) });
    const answer = await client.call(
      { method: "GET", path: `${path}?${text}`, maxBytes: PAGE_MAX_BYTES },
      limit(),
    );
    if (answer.kind === "not_sent") throw new SupplierUnreadable(answer.reason);
    const content = isSuccess(answer) ? listOf(objectAt(answer.body)?.content) : undefined;
    if (!content) throw new SupplierUnreadable(reasonOf(answer));
    return content;
  },
});
