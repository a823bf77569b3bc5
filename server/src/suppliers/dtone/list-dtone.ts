import { toCountry } from "../../lib/countries.ts";
import { isCurrency } from "../../lib/currencies.ts";
import type { Json } from "../../lib/strict-json.ts";
import type { BasicClient } from "../calls/basic-client.ts";
import { oddRow } from "../calls/checked-reading.ts";
import { plainDecimal } from "../calls/decimal-amount.ts";
import { isSuccess, listOf, objectAt, reasonOf, textAt } from "../calls/read-answer.ts";
import { type PagedList, readPages } from "../calls/read-pages.ts";
import type { CallLimit } from "../calls/throttle.ts";
import { type LeftOut, type OfferRow, type StatementRow, SupplierUnreadable } from "../supplier.ts";
import { toDtoneEntry, wholesalePrice } from "./judge-dtone.ts";

const PAGE_SIZE = 100;
const PAGE_MAX_BYTES = 16 * 1024 * 1024;

/** The names under which DT One takes the account of a top-up. */
export const IDENTIFIERS: readonly string[] = ["mobile_number", "account_number", "account_qualifier"];

export const listDtoneOffers = (
  client: BasicClient,
  limit: () => CallLimit,
): AsyncIterable<readonly OfferRow[]> =>
  readPages(listAt(client, limit, "/v1/products", {}), (product) => [toOffer(product)]);

function toOffer(product: Json): OfferRow {
  const sku = textAt(product, "id");
  const name = textAt(product, "name");
  if (sku === undefined || !/^\d{1,15}$/.test(sku)) return oddRow(sku, "id", "is missing or not a number");
  if (name === undefined) return oddRow(sku, "name", "is missing");
  const left = whyLeftOut(product);
  if (left) return { sku, left };
  const amount = plainDecimal(textAt(product, "destination", "amount") ?? "");
  const currency = textAt(product, "destination", "unit");
  const wholesale = objectAt(product, "prices", "wholesale");
  const cost = wholesale ? wholesalePrice(wholesale) : MISSING_PRICE;
  if (amount === undefined) return oddRow(sku, "destination.amount", "is missing or not a positive amount");
  if (currency === undefined || !isCurrency(currency))
    return oddRow(sku, "destination.unit", "is missing or not a currency");
  if ("reason" in cost) return oddRow(sku, cost.field, cost.reason);
  const brand = textAt(product, "operator", "name");
  const country = toCountry(textAt(product, "operator", "country", "iso_code"));
  const fields = partiesOf(product).find(isSendable) ?? [];
  return {
    sku,
    name,
    ...(brand === undefined ? {} : { brand }),
    ...(country === undefined ? {} : { country }),
    face: { amount, currency },
    cost,
    ...(fields.length > 0 ? { fields } : {}),
  };
}

const MISSING_PRICE = { field: "prices.wholesale", reason: "is missing" };

/** Further data that a product can ask for, which no purchase of ours has. */
const FURTHER_FIELDS = /^required_(?!credit_party_identifier_)\w+_fields$/;

function whyLeftOut(product: Json): LeftOut | undefined {
  const isRanged = /RANGE/i.test(textAt(product, "type") ?? "");
  if (isRanged || objectAt(product, "destination", "amount")) return "range";
  const needsMore = Object.entries(objectAt(product) ?? {}).some(
    ([name, list]) => FURTHER_FIELDS.test(name) && (listOf(list) ?? []).length > 0,
  );
  if (needsMore) return "sender_data";
  const parties = partiesOf(product);
  return parties.length > 0 && !parties.some(isSendable) ? "account_data" : undefined;
}

/** Each is enough to name the account. */
const partiesOf = (product: Json): readonly string[][] =>
  (listOf(objectAt(product)?.required_credit_party_identifier_fields) ?? []).map((fields) =>
    (listOf(fields) ?? []).map((field) => (typeof field === "string" ? field : "")),
  );

const isSendable = (fields: readonly string[]): boolean =>
  fields.every((field) => IDENTIFIERS.includes(field));

/** What DT One booked in a period. */
export async function* readDtoneStatement(
  client: BasicClient,
  limit: () => CallLimit,
  from: Date,
  to: Date,
): AsyncIterable<readonly StatementRow[]> {
  const query = { from_date: from.toISOString(), to_date: to.toISOString() };
  const list = listAt(client, limit, "/v1/transactions", query);
  for await (const page of readPages<StatementRow>(list, (row) => [toDtoneEntry(row)]))
    yield page.filter((row) => !("at" in row) || !row.at || (row.at >= from && row.at < to));
}

const listAt = (
  client: BasicClient,
  limit: () => CallLimit,
  path: string,
  query: Readonly<Record<string, string>>,
): PagedList => ({
  first: 1,
  size: PAGE_SIZE,
  async read(page) {
    const text = new URLSearchParams({ ...query, per_page: String(PAGE_SIZE), page: String(page) });
    const answer = await client.call(
      { method: "GET", path: `${path}?${text}`, maxBytes: PAGE_MAX_BYTES },
      limit(),
    );
    if (answer.kind === "not_sent") throw new SupplierUnreadable(answer.reason);
    // DT One has no empty lists: a page without rows is "not found".
    if (answer.kind === "answer" && answer.status === 404 && objectAt(answer.body)?.errors !== undefined)
      return [];
    const rows = isSuccess(answer) ? listOf(answer.body) : undefined;
    if (!rows) throw new SupplierUnreadable(reasonOf(answer));
    return rows;
  },
});
