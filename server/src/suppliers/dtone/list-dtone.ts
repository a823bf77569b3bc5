import type { Json } from "../../lib/strict-json.ts";
import type { BasicClient } from "../calls/basic-client.ts";
import { checkedText } from "../calls/checked-reading.ts";
import { plainDecimal, sumUp } from "../calls/decimal-amount.ts";
import { isSuccess, listOf, objectAt, reasonOf, textAt } from "../calls/read-answer.ts";
import type { CallLimit } from "../calls/throttle.ts";
import { type StatementEntry, type SupplierOffer, SupplierUnreadable } from "../supplier.ts";
import { toDtoneEntry } from "./judge-dtone.ts";

const PAGE_SIZE = 100;
const PAGES_MAX = 2_000;
const PAGE_MAX_BYTES = 16 * 1024 * 1024;

export async function* listDtoneOffers(
  client: BasicClient,
  limit: () => CallLimit,
): AsyncIterable<readonly SupplierOffer[]> {
  for await (const page of pages(client, limit, "/v1/products", {})) yield page.flatMap(toOffer);
}

function toOffer(product: Json): SupplierOffer[] {
  const sku = checkedText(textAt(product, "id"));
  const name = checkedText(textAt(product, "name"));
  const brand = textAt(product, "operator", "name");
  const country = textAt(product, "operator", "country", "iso_code");
  const amount = plainDecimal(textAt(product, "destination", "amount") ?? "");
  const currency = textAt(product, "destination", "unit");
  const wholesale = objectAt(product, "prices", "wholesale");
  const cost = sumUp([textAt(wholesale, "amount"), textAt(wholesale, "fee")], textAt(wholesale, "unit"));
  const alternatives = listOf(objectAt(product)?.required_credit_party_identifier_fields) ?? [];
  const fields = (listOf(alternatives[0]) ?? []).filter((field) => typeof field === "string");
  return [
    {
      sku,
      name,
      ...(brand === undefined ? {} : { brand }),
      ...(country !== undefined && /^[A-Z]{2}$/.test(country) ? { country } : {}),
      ...(amount === undefined || currency === undefined ? {} : { face: { amount, currency } }),
      ...(cost ? { cost } : {}),
      ...(fields.length > 0 ? { fields } : {}),
    },
  ];
}

/** What DT One booked in a period. */
export async function* readDtoneStatement(
  client: BasicClient,
  limit: () => CallLimit,
  from: Date,
  to: Date,
): AsyncIterable<readonly StatementEntry[]> {
  const query = { from_date: from.toISOString(), to_date: to.toISOString() };
  for await (const page of pages(client, limit, "/v1/transactions", query))
    yield page.map(toDtoneEntry).filter(({ at }) => !at || (at >= from && at < to));
}

async function* pages(
  client: BasicClient,
  limit: () => CallLimit,
  path: string,
  query: Readonly<Record<string, string>>,
): AsyncIterable<readonly Json[]> {
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const text = new URLSearchParams({ ...query, per_page: String(PAGE_SIZE), page: String(page) });
    const answer = await client.call(
      { method: "GET", path: `${path}?${text}`, maxBytes: PAGE_MAX_BYTES },
      limit(),
    );
    if (answer.kind === "not_sent") throw new SupplierUnreadable(answer.reason);
    // DT One has no empty lists: a page without rows is "not found".
    if (answer.kind === "answer" && answer.status === 404 && objectAt(answer.body)?.errors !== undefined)
      return;
    const rows = isSuccess(answer) ? listOf(answer.body) : undefined;
    if (!rows) throw new SupplierUnreadable(reasonOf(answer));
    yield rows;
    if (rows.length < PAGE_SIZE) return;
  }
}
