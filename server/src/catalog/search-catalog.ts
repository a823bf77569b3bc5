import type { Db } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { parseAmount } from "../lib/money.ts";
import { notFound } from "../lib/problem.ts";
import type { InputFieldSpec } from "./input-field-spec.ts";
import { type NotPurchasable, purchasePrice } from "./prices/purchase-price.ts";
import {
  type CatalogSearch,
  findVisibleProduct,
  type ProductType,
  searchVisibleProducts,
  type VisibleProductRow,
} from "./queries.ts";

/** A product as its reseller looks at it, in exact amounts. */
export type CatalogEntry = {
  id: string;
  name: string;
  type: ProductType;
  faceValue: { amount: string; currency: string; unit: string; isMoney: boolean };
  currency: string;
  priceMinor: bigint | undefined;
  strikeMinor: bigint | undefined;
  /** How far the price is below the face value, else below the strike price, in tenths of a percent. */
  discountPermille: number | undefined;
  bonus: string;
  minQuantity: number;
  maxQuantity: number;
  inputFields: readonly InputFieldSpec[];
  availability: "purchasable" | NotPurchasable;
};

export type CatalogPage = { data: CatalogEntry[]; nextAfterId: string | undefined };

const WORDS_MAX = 10;

/** The products that the reseller can see with all of these words in name or id, in the order of their ids. */
export async function searchCatalog(
  db: Db,
  tenant: Tenant,
  search: { text: string; type?: ProductType | undefined },
  page: { afterId?: string | undefined; limit: number },
): Promise<CatalogPage> {
  const { currency, products } = await searchVisibleProducts(db, tenant.resellerId, toSearch(search), {
    afterId: page.afterId ?? "",
    limit: page.limit + 1,
  });
  const shown = products.slice(0, page.limit);
  return {
    data: shown.map((row) => toEntry(row, { ...tenant, currency })),
    nextAfterId: products.length > page.limit ? shown.at(-1)?.id : undefined,
  };
}

const EXPORTED_AT_ONCE = 500;

/** Everything that a search finds, a few hundred products at a time. */
export async function* exportCatalogEntries(
  db: Db,
  tenant: Tenant,
  search: { text: string; type?: ProductType | undefined },
): AsyncGenerator<CatalogEntry> {
  let afterId: string | undefined;
  do {
    const page = await searchCatalog(db, tenant, search, { afterId, limit: EXPORTED_AT_ONCE });
    yield* page.data;
    afterId = page.nextAfterId;
  } while (afterId !== undefined);
}

/** One product of the reseller's catalog. One that it cannot see is not found. */
export async function getCatalogEntry(db: Db, tenant: Tenant, productId: string): Promise<CatalogEntry> {
  if (productId.includes("\0")) throw notFound();
  const { currency, products } = await findVisibleProduct(db, tenant.resellerId, productId);
  const [row] = products;
  if (!row) throw notFound();
  return toEntry(row, { ...tenant, currency });
}

const toSearch = ({ text, type }: { text: string; type?: ProductType | undefined }): CatalogSearch => ({
  words: text
    .replaceAll("\0", " ")
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, WORDS_MAX),
  type,
});

function toEntry(
  row: VisibleProductRow,
  { environment, currency }: Tenant & { currency: string },
): CatalogEntry {
  const price = purchasePrice(row, environment);
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    faceValue: {
      amount: row.faceValueAmount,
      currency: row.faceValueCurrency,
      unit: row.faceValueUnit,
      isMoney: row.faceValueIsMoney,
    },
    currency,
    priceMinor: row.amountMinor ?? undefined,
    strikeMinor: row.amountMinor === null ? undefined : (row.strikeMinor ?? undefined),
    discountPermille: discountOf(row, currency),
    bonus: row.bonus,
    minQuantity: row.minQuantity,
    maxQuantity: row.maxQuantity,
    inputFields: row.inputFields,
    availability: typeof price === "bigint" ? "purchasable" : price,
  };
}

/** A face value in another currency says nothing about the discount. */
function discountOf(row: VisibleProductRow, currency: string): number | undefined {
  if (row.amountMinor === null) return undefined;
  const isComparable = row.faceValueIsMoney && row.faceValueCurrency === currency;
  const fullMinor = isComparable ? readFace(row.faceValueAmount, currency) : row.strikeMinor;
  if (!fullMinor || fullMinor <= row.amountMinor) return undefined;
  return Number(((fullMinor - row.amountMinor) * 1_000n) / fullMinor);
}

/** A face value can have more decimals than its currency. */
function readFace(amount: string, currency: string): bigint | null {
  try {
    return parseAmount(amount, currency);
  } catch {
    return null;
  }
}
