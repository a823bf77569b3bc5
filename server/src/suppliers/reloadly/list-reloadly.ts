import type { Json } from "../../lib/strict-json.ts";
import { checkedEntry, checkedText } from "../calls/checked-reading.ts";
import { plainDecimal, sumUp } from "../calls/decimal-amount.ts";
import { isSuccess, listOf, objectAt, reasonOf, textAt } from "../calls/read-answer.ts";
import type { CallLimit } from "../calls/throttle.ts";
import { type StatementEntry, type SupplierOffer, SupplierUnreadable } from "../supplier.ts";
import { reloadlyState } from "./judge-reloadly.ts";
import type { ReloadlyClient } from "./reloadly-client.ts";

const PAGE_SIZE = 200;
const PAGES_MAX = 1_000;
const PAGE_MAX_BYTES = 16 * 1024 * 1024;

/** Every product at every fixed face value. A product with a range has one offer without a value. */
export async function* listReloadlyOffers(
  client: ReloadlyClient,
  limit: () => CallLimit,
): AsyncIterable<readonly SupplierOffer[]> {
  for await (const page of pages(client, limit, "/products", {})) yield page.flatMap(toOffers);
}

function toOffers(product: Json): SupplierOffer[] {
  const sku = checkedText(textAt(product, "productId"));
  const name = checkedText(textAt(product, "productName"));
  const currency = textAt(product, "recipientCurrencyCode");
  const brand = textAt(product, "brand", "brandName");
  const country = textAt(product, "country", "isoName");
  const about = {
    sku,
    name,
    ...(brand === undefined ? {} : { brand }),
    ...(country !== undefined && /^[A-Z]{2}$/.test(country) ? { country } : {}),
  };
  const members = objectAt(product);
  const values = listOf(members?.fixedRecipientDenominations) ?? [];
  if (values.length === 0) return [about];
  const fee = textAt(product, "senderFee");
  const map = objectAt(members?.fixedRecipientToSenderDenominationsMap) ?? {};
  const costs = new Map(Object.entries(map).map(([value, cost]) => [plainDecimal(value), cost]));
  return values.flatMap((told) => {
    const value = typeof told === "string" ? plainDecimal(told) : undefined;
    if (value === undefined) return [];
    const paid = costs.get(value);
    const cost =
      typeof paid === "string" ? sumUp([paid, fee], textAt(product, "senderCurrencyCode")) : undefined;
    return [
      {
        ...about,
        value,
        ...(currency === undefined ? {} : { face: { amount: value, currency } }),
        ...(cost ? { cost } : {}),
      },
    ];
  });
}

/** What Reloadly booked in a period. Its times have no zone; they are taken as UTC. */
export async function* readReloadlyStatement(
  client: ReloadlyClient,
  limit: () => CallLimit,
  from: Date,
  to: Date,
): AsyncIterable<readonly StatementEntry[]> {
  const query = { startDate: dateText(from), endDate: dateText(to) };
  for await (const page of pages(client, limit, "/reports/transactions", query))
    yield page.map(toEntry).filter(({ at }) => !at || (at >= from && at < to));
}

const dateText = (time: Date): string => time.toISOString().slice(0, 19).replace("T", " ");

const toEntry = (transaction: Json): StatementEntry =>
  checkedEntry({
    state: reloadlyState(textAt(transaction, "status")),
    reference: textAt(transaction, "customIdentifier"),
    upstreamId: textAt(transaction, "transactionId"),
    price: sumUp([textAt(transaction, "amount")], textAt(transaction, "currencyCode")),
    at: new Date(`${(textAt(transaction, "transactionCreatedTime") ?? "").replace(" ", "T")}Z`),
  });

async function* pages(
  client: ReloadlyClient,
  limit: () => CallLimit,
  path: string,
  query: Readonly<Record<string, string>>,
): AsyncIterable<readonly Json[]> {
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const text = new URLSearchParams({ ...query, size: String(PAGE_SIZE), page: String(page) });
    const answer = await client.call(
      { method: "GET", path: `${path}?${text}`, maxBytes: PAGE_MAX_BYTES },
      limit(),
    );
    if (answer.kind === "not_sent") throw new SupplierUnreadable(answer.reason);
    const content = isSuccess(answer) ? listOf(objectAt(answer.body)?.content) : undefined;
    if (!content) throw new SupplierUnreadable(reasonOf(answer));
    yield content;
    if (content.length < PAGE_SIZE) return;
  }
}
