import type { Json } from "../../lib/strict-json.ts";
import type { BasicClient } from "../calls/basic-client.ts";
import { checkedText } from "../calls/checked-reading.ts";
import { plainDecimal, sumUp } from "../calls/decimal-amount.ts";
import { isSuccess, listOf, objectAt, reasonOf, textAt } from "../calls/read-answer.ts";
import type { CallLimit } from "../calls/throttle.ts";
import { type SupplierOffer, SupplierUnreadable } from "../supplier.ts";

const PAGE_SIZE = 100;
const PAGES_MAX = 1_000;
const PAGE_MAX_BYTES = 16 * 1024 * 1024;

/** Every product of every brand. Pages are counted from zero. */
export async function* listBambooOffers(
  client: BasicClient,
  limit: () => CallLimit,
): AsyncIterable<readonly SupplierOffer[]> {
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = new URLSearchParams({ PageSize: String(PAGE_SIZE), PageIndex: String(page) });
    const path = `/api/integration/v2.0/catalog?${query}`;
    const answer = await client.call({ method: "GET", path, maxBytes: PAGE_MAX_BYTES }, limit());
    if (answer.kind === "not_sent") throw new SupplierUnreadable(answer.reason);
    const brands = isSuccess(answer) ? listOf(objectAt(answer.body)?.items) : undefined;
    if (!brands) throw new SupplierUnreadable(reasonOf(answer));
    yield brands.flatMap(toOffers);
    if (brands.length < PAGE_SIZE) return;
  }
}

function toOffers(brand: Json): SupplierOffer[] {
  const brandName = textAt(brand, "name");
  const country = textAt(brand, "countryCode");
  const currency = textAt(brand, "currencyCode");
  const products = listOf(objectAt(brand)?.products);
  if (!products) throw new SupplierUnreadable("nonsense");
  return products.flatMap((product) => {
    const sku = checkedText(textAt(product, "id"));
    const name = checkedText(textAt(product, "name"));
    const least = plainDecimal(textAt(product, "minFaceValue") ?? "");
    const most = plainDecimal(textAt(product, "maxFaceValue") ?? "");
    const isFixed = least !== undefined && least === most;
    const cost = sumUp([textAt(product, "price", "min")], textAt(product, "price", "currencyCode"));
    return [
      {
        sku,
        name,
        ...(brandName === undefined ? {} : { brand: brandName }),
        ...(country !== undefined && /^[A-Z]{2}$/.test(country) ? { country } : {}),
        ...(isFixed ? { value: least } : {}),
        ...(isFixed && currency !== undefined ? { face: { amount: least, currency } } : {}),
        ...(isFixed && cost ? { cost } : {}),
      },
    ];
  });
}
