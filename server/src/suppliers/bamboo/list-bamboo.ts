import { toCountry } from "../../lib/countries.ts";
import { isCurrency } from "../../lib/currencies.ts";
import type { Json } from "../../lib/strict-json.ts";
import type { BasicClient } from "../calls/basic-client.ts";
import { oddRow, readAmounts } from "../calls/checked-reading.ts";
import { plainDecimal } from "../calls/decimal-amount.ts";
import { isSuccess, listOf, objectAt, reasonOf, textAt } from "../calls/read-answer.ts";
import { readPages } from "../calls/read-pages.ts";
import type { CallLimit } from "../calls/throttle.ts";
import { type OfferRow, SupplierUnreadable } from "../supplier.ts";

const PAGE_SIZE = 100;
const PAGE_MAX_BYTES = 16 * 1024 * 1024;

/** Every product of every brand. Pages are counted from zero. */
export const listBambooOffers = (
  client: BasicClient,
  limit: () => CallLimit,
): AsyncIterable<readonly OfferRow[]> =>
  readPages(
    {
      first: 0,
      size: PAGE_SIZE,
      async read(page) {
        const query = new URLSearchParams({ PageSize: String(PAGE_SIZE), PageIndex: String(page) });
        const path = `/api/integration/v2.0/catalog?${query}`;
        const answer = await client.call({ method: "GET", path, maxBytes: PAGE_MAX_BYTES }, limit());
        if (answer.kind === "not_sent") throw new SupplierUnreadable(answer.reason);
        const brands = isSuccess(answer) ? listOf(objectAt(answer.body)?.items) : undefined;
        if (!brands) throw new SupplierUnreadable(reasonOf(answer));
        return brands;
      },
    },
    toOffers,
  );

function toOffers(brand: Json): readonly OfferRow[] {
  const products = listOf(objectAt(brand)?.products);
  // Its products cannot be numbered, so a route to one of them must not be taken for gone.
  if (!products) return [oddRow(undefined, "products", "is missing or not a list")];
  return products.map((product) => toOffer(brand, product));
}

function toOffer(brand: Json, product: Json): OfferRow {
  const brandName = textAt(brand, "name");
  const country = toCountry(textAt(brand, "countryCode"));
  const currency = textAt(brand, "currencyCode");
  const sku = textAt(product, "id");
  const name = textAt(product, "name");
  if (sku === undefined || !/^\d{1,15}$/.test(sku)) return oddRow(sku, "id", "is missing or not a number");
  if (name === undefined) return oddRow(sku, "name", "is missing");
  const [least, most] = ["minFaceValue", "maxFaceValue"].map((key) =>
    plainDecimal(textAt(product, key) ?? ""),
  );
  if (least === undefined) return oddRow(sku, "minFaceValue", "is missing or not a positive amount");
  if (most === undefined) return oddRow(sku, "maxFaceValue", "is missing or not a positive amount");
  if (least !== most) return { sku, left: "range" };
  if (currency === undefined || !isCurrency(currency))
    return oddRow(`${sku}@${least}`, "currencyCode", "is missing or not a currency");
  const cost = readAmounts({ "price.min": textAt(product, "price", "min") }, [
    "price.currencyCode",
    textAt(product, "price", "currencyCode"),
  ]);
  if ("reason" in cost) return oddRow(`${sku}@${least}`, cost.field, cost.reason);
  return {
    ...{ sku, name },
    ...(brandName === undefined ? {} : { brand: brandName }),
    ...(country === undefined ? {} : { country }),
    ...{ value: least, face: { amount: least, currency }, cost },
  };
}
