import type { Db } from "../../db/database.ts";
import type { ProductType, Supply } from "../queries.ts";
import { foldText } from "./fold-text.ts";
import { type IndexedRow, listIndexedSince, type ScopePosition } from "./index-queries.ts";

/** What is kept of a product to find it. About 300 bytes. */
export type IndexedProduct = {
  id: string;
  /** Id, name and brand without letter case and accents, each on a line. */
  text: string;
  brand: string | null;
  category: string | null;
  country: string | null;
  type: ProductType;
  isOnSale: boolean;
  supply: Supply;
};

export type ProductIndex = {
  /** Reads what has changed up to this number. */
  sync(head: bigint): Promise<void>;
  /** The number that stands for a product in sets. It never changes. */
  slotOf(productId: string): number;
  /** The products after an id, in the order of their ids, each with its slot. */
  after(productId: string): Iterable<{ slot: number; product: IndexedProduct }>;
  readonly size: number;
};

/** The start of a scope. */
export const NOTHING_READ: ScopePosition = { change: -1n, id: "" };
export const READ_AT_ONCE = 2_000;
/** From this many new products on, sorting all is faster than inserting each. */
const INSERTED_MAX = 50;

/**
 * The products in memory, to find those that match a filter without reading all of them from the database. It is filled when
 * the first filter is used and follows the changes of the catalog. Its size depends on the number of products alone.
 */
export function createProductIndex(db: Db): ProductIndex {
  const products: IndexedProduct[] = [];
  const slots = new Map<string, number>();
  let order: number[] = [];
  let position = NOTHING_READ;
  let reading: Promise<void> | undefined;

  const idAt = (index: number): string => products[order[index] ?? 0]?.id ?? "";
  const slotOf = (productId: string): number => {
    const found = slots.get(productId);
    if (found !== undefined) return found;
    slots.set(productId, products.length);
    products.push({ ...UNKNOWN, id: productId, text: productId });
    return products.length - 1;
  };
  const insertNew = (first: number): void => {
    const added = Array.from({ length: products.length - first }, (_, index) => first + index);
    if (added.length > INSERTED_MAX)
      order = [...order, ...added].sort((one, other) =>
        idOf(products, one) < idOf(products, other) ? -1 : 1,
      );
    else
      for (const slot of added) order.splice(firstAfter(idOf(products, slot), order.length, idAt), 0, slot);
  };
  const read = async (): Promise<void> => {
    for (;;) {
      const rows = await listIndexedSince(db, position, READ_AT_ONCE);
      for (const row of rows) {
        products[slotOf(row.productId)] =
          row.id === null ? gone(row.productId) : toIndexed(row as IndexedRow);
        position = { change: row.change, id: row.productId };
      }
      insertNew(order.length);
      if (rows.length < READ_AT_ONCE) return;
    }
  };

  return {
    async sync(head) {
      while (position.change < head) {
        reading ??= read().finally(() => {
          reading = undefined;
        });
        await reading;
      }
    },
    slotOf,
    *after(productId) {
      for (let at = firstAfter(productId, order.length, idAt); at < order.length; at += 1) {
        const slot = order[at] as number;
        yield { slot, product: products[slot] as IndexedProduct };
      }
    },
    get size() {
      return products.length;
    },
  };
}

const UNKNOWN = {
  brand: null,
  category: null,
  country: null,
  type: "gift_card",
  isOnSale: false,
  supply: "none",
} as const;

const gone = (id: string): IndexedProduct => ({ ...UNKNOWN, id, text: id });

const idOf = (products: readonly IndexedProduct[], slot: number): string => products[slot]?.id ?? "";

/** Where ids begin that are after this one. */
function firstAfter(id: string, count: number, idAt: (index: number) => string): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (idAt(middle) <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

const toIndexed = ({ name, ...row }: IndexedRow): IndexedProduct => ({
  ...row,
  text: searchText({ ...row, name }),
});

export const searchText = ({ id, name, brand }: Pick<IndexedRow, "id" | "name" | "brand">): string =>
  foldText(`${id}\n${name}\n${brand ?? ""}`);
