import type { Db } from "../../db/database.ts";
import { NO_ID } from "../../lib/slice.ts";
import { type CatalogFilters, wordsOf } from "./catalog-filters.ts";
import { foldText } from "./fold-text.ts";
import { type IndexedRow, listIndexed, listIndexedSince, type ScopePosition } from "./index-queries.ts";
import { createProductColumns, toWanted } from "./product-columns.ts";

/** A product in the index: its id, and id, name and brand without letter case and accents. */
type IndexedProduct = { id: string; text: string; brand: string | null; category: string | null };

/** What a look at some products found. */
export type Scan = {
  ids: string[];
  /** Where to go on, or undefined at the end. */
  lastId: string | undefined;
};

export type ProductIndex = {
  /** Reads what has changed up to this number. */
  sync(head: bigint): Promise<void>;
  /** The number that stands for a product in sets. It never changes. */
  slotOf(productId: string): number;
  isAvailable(slot: number): boolean;
  /** The first matches after an id, in the order of ids, among a limited number of products. */
  scan(
    filters: CatalogFilters,
    accepts: (slot: number) => boolean,
    from: { afterId: string; found: number; examined: number },
  ): Scan;
};

/** The start of a scope. */
export const NOTHING_READ: ScopePosition = { change: -1n, id: "" };
export const READ_AT_ONCE = 2_000;
/** Of a table that is read from its start. */
export const FILLED_AT_ONCE = 5_000;
/** From this many new products on, sorting all is faster than inserting each. */
const INSERTED_MAX = 50;

/**
 * The products in memory, to find those that match a filter without reading all of them from the database. It is filled when
 * the first filter is used and follows the changes of the catalog. Its size depends on the number of products alone.
 */
export function createProductIndex(db: Db): ProductIndex {
  const products: IndexedProduct[] = [];
  const columns = createProductColumns();
  const slots = new Map<string, number>();
  let order: number[] = [];
  let position = NOTHING_READ;
  let reading: Promise<void> | undefined;

  const idOf = (slot: number): string => products[slot]?.id ?? "";
  const put = (slot: number, id: string, row: IndexedRow | undefined): void => {
    const text = row ? searchText(row) : "";
    products[slot] = { id, text, brand: row?.brand ?? null, category: row?.category ?? null };
    columns.set(slot, row, text);
  };
  const slotOf = (productId: string): number => {
    const found = slots.get(productId);
    if (found !== undefined) return found;
    const slot = products.length;
    slots.set(productId, slot);
    put(slot, productId, undefined);
    return slot;
  };
  /** Where ids begin that are after this one. */
  const firstAfter = (id: string): number => {
    let [low, high] = [0, order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (idOf(order[middle] as number) <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const orderNew = (): void => {
    const first = order.length;
    const added = Array.from({ length: products.length - first }, (_, index) => first + index);
    if (added.length > INSERTED_MAX)
      order = [...order, ...added].sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
    else for (const slot of added) order.splice(firstAfter(idOf(slot)), 0, slot);
  };
  /** Changes up to the head are committed, so that they are in what is read now. Later ones are read by their number. */
  const fill = async (head: bigint): Promise<void> => {
    let afterId = "";
    for (;;) {
      const rows = await listIndexed(db, afterId, FILLED_AT_ONCE);
      for (const row of rows) put(slotOf(row.id), row.id, row);
      if (rows.length < FILLED_AT_ONCE) break;
      afterId = rows.at(-1)?.id ?? "";
    }
    position = { change: head, id: NO_ID };
  };
  const read = async (head: bigint): Promise<void> => {
    try {
      if (position === NOTHING_READ) return await fill(head);
      for (;;) {
        const rows = await listIndexedSince(db, position, READ_AT_ONCE);
        for (const { change, productId, row } of rows) {
          put(slotOf(productId), productId, row ?? undefined);
          position = { change, id: productId };
        }
        if (rows.length < READ_AT_ONCE) return;
      }
    } finally {
      orderNew();
    }
  };

  return {
    async sync(head) {
      while (position.change < head) {
        reading ??= read(head).finally(() => {
          reading = undefined;
        });
        await reading;
      }
    },
    slotOf,
    isAvailable: columns.isAvailable,
    scan(filters, accepts, from) {
      const words = wordsOf(filters.q);
      const wanted = toWanted(filters, words);
      const ids: string[] = [];
      const first = firstAfter(from.afterId);
      const end = Math.min(order.length, first + from.examined);
      for (let at = first; at < end; at += 1) {
        const slot = order[at] as number;
        if (!columns.mayMatch(slot, wanted)) continue;
        const product = products[slot] as IndexedProduct;
        if (!isExact(product, filters, words) || !accepts(slot)) continue;
        ids.push(product.id);
        if (ids.length === from.found) return { ids, lastId: product.id };
      }
      return { ids, lastId: end < order.length ? idOf(order[end - 1] as number) : undefined };
    },
  };
}

/** The country needs no second look: two letters have no twins. */
const isExact = (
  product: IndexedProduct,
  { brand, category }: CatalogFilters,
  words: readonly string[],
): boolean =>
  (brand === undefined || product.brand === brand) &&
  (category === undefined || product.category === category) &&
  words.every((word) => product.text.includes(word));

export const searchText = ({ id, name, brand }: Pick<IndexedRow, "id" | "name" | "brand">): string =>
  foldText(`${id}\n${name}\n${brand ?? ""}`);
