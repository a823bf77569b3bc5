import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { CursorCodec, CursorScope } from "../../lib/cursor.ts";
import { toProduct } from "../product-view.ts";
import { findCatalogRows } from "../queries.ts";
import { type ChangedProduct, type ChangePosition, findHead, listChangesAfter } from "./change-queries.ts";
import type { ChangePageView, ChangeView } from "./change-schemas.ts";

export const changesCursorScope = ({ resellerId, environment }: Tenant): CursorScope => ({
  resellerId,
  environment,
  endpoint: "listCatalogChanges",
  filters: {},
});

/** A product can change in three scopes, and only its last change is told. A page is short when more than this is skipped. */
const EXAMINED_PER_ITEM = 3;
const EXAMINED_MIN = 100;

/**
 * What changed for the reseller since a position, each product once with its state now. Without a position it starts from now.
 * Products are read after their changes. One that changed in between is told again later, so nothing is lost.
 */
export async function listChanges(
  { db, cursors }: { db: Db; cursors: CursorCodec },
  tenant: Tenant,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<ChangePageView> {
  const toCursor = (position: ChangePosition) =>
    cursors.encode(changesCursorScope(tenant), writePosition(position));
  if (after === undefined) {
    const head = await findHead(db);
    return { data: [], hasMore: false, nextCursor: toCursor({ change: head, productId: LAST_PRODUCT }) };
  }
  const examinedMax = Math.max(limit * EXAMINED_PER_ITEM, EXAMINED_MIN) + 1;
  const { head, changes } = await listChangesAfter(db, tenant.resellerId, readPosition(after), examinedMax);
  const latest = changes.filter(({ isSuperseded }) => !isSuperseded);
  const told = latest.slice(0, limit);
  const hasMore = latest.length > limit || changes.length === examinedMax;
  const last = latest.length > limit ? told.at(-1) : changes.at(-1);
  return {
    data: await tellStates(db, tenant, told),
    hasMore,
    nextCursor: toCursor(hasMore && last ? last : { change: head, productId: LAST_PRODUCT }),
  };
}

/** The state of each product now. A product that the reseller has never been able to see does not exist for it. */
async function tellStates(
  db: Db,
  { resellerId, environment }: Tenant,
  told: readonly ChangedProduct[],
): Promise<ChangeView[]> {
  if (told.length === 0) return [];
  const ids = told.map(({ productId }) => productId);
  const { currency, products } = await findCatalogRows(db, resellerId, ids);
  const visible = new Map(products.map((row) => [row.id, row]));
  return told.flatMap(({ productId, wasVisible }): ChangeView[] => {
    const row = visible.get(productId);
    if (row) return [{ productId, change: "upserted", product: toProduct(row, { environment, currency }) }];
    return wasVisible ? [{ productId, change: "removed" }] : [];
  });
}

/** Sorts after every product id. */
const LAST_PRODUCT = "~";

const writePosition = ({ change, productId }: ChangePosition): string => `${change} ${productId}`;

/** A position comes from a cursor that we signed. */
function readPosition(text: string): ChangePosition {
  const [change = "0", productId = ""] = text.split(" ");
  return { change: BigInt(change), productId };
}
