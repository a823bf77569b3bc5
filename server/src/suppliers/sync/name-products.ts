import type { Queryable } from "../../db/database.ts";
import { REMOTE_KINDS } from "../registry.ts";
import type { NameProduct, SyncItem } from "./compare-catalog.ts";
import { hideNames, proposeId, takeId, withoutNames } from "./propose-id.ts";
import {
  findSync,
  listPresentIds,
  listSupplierItems,
  listSupplierNames,
  listTakenIds,
} from "./sync-queries.ts";

/** Ids that a person gave to proposed products, by their items. */
export type Renames = ReadonlyMap<string, string>;

const PRODUCT_ID = /^[A-Za-z0-9._:-]{1,64}$/;
/** A name of a supplier's product that says no more than who the supplier is. */
const FALLBACK_NAME = "Gift card";
/** What a name can be before it is shortened. */
const TEXT_MAX_CHARACTERS = 400;

/**
 * Names the new products of a supplier, as resellers will read them. An item keeps the id that it had before: that of its product, or
 * that of the last proposal.
 */
export async function createNames(
  db: Queryable,
  { id: supplierId, kind, name: supplierName }: { id: string; kind: string; name: string },
): Promise<NameProduct> {
  const kinds = REMOTE_KINDS.filter(({ canSyncCatalog }) => canSyncCatalog).map((one) => one.kind);
  const suppliers = await listSupplierNames(db);
  const inIds = hideNames([...kinds, ...suppliers.map(({ name }) => name)]);
  const inTexts = hideNames([kind, supplierName]);
  const products = new Map((await listSupplierItems(db, supplierId)).map((one) => [one.item, one.productId]));
  const taken = await listTakenIds(db, supplierId);
  const proposed = new Map<string, string>();
  for (const item of (await findSync(db, supplierId))?.items ?? [])
    if (item.change === "new" && !item.isKnown && !taken.has(item.product.id))
      proposed.set(item.id, item.product.id);
  for (const id of proposed.values()) taken.add(id);
  return (itemId, offer) => {
    const known = products.get(itemId);
    const text = (given: string) => withoutNames(given.slice(0, TEXT_MAX_CHARACTERS), inTexts);
    const brand = offer.brand === undefined ? "" : text(offer.brand);
    return {
      productId: known ?? proposed.get(itemId) ?? takeId(proposeId(offer, inIds), taken),
      isKnown: known !== undefined,
      name: text(offer.name) || brand || FALLBACK_NAME,
      brand: brand === "" ? undefined : brand,
    };
  };
}

/** The items with the ids that a person chose. Each must be free. */
export async function renameItems(
  db: Queryable,
  items: readonly SyncItem[],
  renames: Renames,
): Promise<SyncItem[]> {
  if (renames.size === 0) return [...items];
  const others = items.filter(({ id }) => !renames.has(id));
  const taken = new Set(others.flatMap((item) => (item.change === "new" ? [item.product.id] : [])));
  const present = await listPresentIds(db, [...renames.values()]);
  const byId = new Map(items.map((item) => [item.id, item]));
  for (const [id, productId] of renames) {
    const item = byId.get(id);
    if (item?.change !== "new" || item.isKnown)
      throw new RangeError(`the proposal has no new product "${id}"; read the catalog again`);
    if (!PRODUCT_ID.test(productId))
      throw new RangeError(
        `the id "${productId}" of ${id} can contain only A-Z, a-z, 0-9 and . _ : -, at most 64 of them`,
      );
    if (present.has(productId))
      throw new RangeError(
        `there is a product ${productId} already; choose another id for ${id}, or set a route from that product to the supplier`,
      );
    if (taken.has(productId))
      throw new RangeError(`two new products have the id ${productId}; choose another one for ${id}`);
    taken.add(productId);
  }
  return items.map((item) => {
    const id = renames.get(item.id);
    if (id === undefined || item.change !== "new") return item;
    return { ...item, product: { ...item.product, id }, route: { ...item.route, productId: id } };
  });
}
