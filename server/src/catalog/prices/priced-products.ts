import type { Db, Queryable } from "../../db/database.ts";
import type { Caller } from "../../http/caller.ts";
import { createByteCache } from "../../lib/byte-cache.ts";
import { findVisibleProducts, type VisibleProductRow } from "../queries.ts";

/** What the reseller sees of some products, and the catalog revision it was read at. */
export type PricedProducts = {
  catalogRevision: string;
  currency: string;
  products: ReadonlyMap<string, VisibleProductRow>;
};

export type ProductReader = (
  caller: Pick<Caller, "resellerId" | "catalogRevision">,
  ids: readonly string[],
) => Promise<PricedProducts>;

const PRODUCTS_KEPT_MAX_BYTES = 32 * 1024 * 1024;
/** The memory a product takes besides its input fields, and the overhead factor of those. */
const PRODUCT_BYTES = 1_024;
const BYTES_PER_CHARACTER = 4;

type Kept = { currency: string; row: VisibleProductRow | undefined };

/**
 * Reads products for pricing. They are cached by revision, like rendered pages. A product that the reseller cannot
 * see is cached as absent, so requests for unknown products cost no more.
 */
export function createProductReader(db: Db): ProductReader {
  const kept = createByteCache<Kept>(PRODUCTS_KEPT_MAX_BYTES, sizeOf);

  return async ({ resellerId, catalogRevision }, ids) => {
    const found = ids.map((id) => kept.get(`${catalogRevision} ${resellerId} ${id}`));
    if (found.every((one) => one !== undefined)) {
      const products = new Map(found.flatMap(({ row }) => (row ? [[row.id, row] as const] : [])));
      return { catalogRevision, currency: found[0]?.currency ?? "", products };
    }
    const priced = await readPricedProducts(db, resellerId, ids);
    for (const id of ids) {
      const value = { currency: priced.currency, row: priced.products.get(id) };
      kept.set(`${priced.catalogRevision} ${resellerId} ${id}`, value);
    }
    return priced;
  };
}

/** The same directly from the database, or within a transaction. */
export async function readPricedProducts(
  db: Queryable,
  resellerId: string,
  ids: readonly string[],
): Promise<PricedProducts> {
  const { catalogRevision, currency, products } = await findVisibleProducts(db, resellerId, ids);
  return { catalogRevision, currency, products: new Map(products.map((row) => [row.id, row])) };
}

const sizeOf = ({ row }: Kept): number =>
  PRODUCT_BYTES +
  (row && row.inputFields.length > 0 ? JSON.stringify(row.inputFields).length * BYTES_PER_CHARACTER : 0);
