import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { getCatalogProduct } from "../get-catalog-product.ts";
import { lockCatalog } from "../lock-catalog.ts";
import { deleteUnlisted, insertUnlisted } from "./price-queries.ts";

/** A product is listed for all resellers except those it is unlisted for. */
export async function setListing(
  db: Db,
  input: { resellerId: string; productId: string; listed: boolean },
  record?: { clock: Clock; by: By },
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockCatalog(tx);
    await getCatalogProduct(tx, input.productId);
    if (input.listed) await deleteUnlisted(tx, input.resellerId, input.productId);
    else await insertUnlisted(tx, input.resellerId, input.productId);
    if (record)
      await recordActivity(tx, record.clock, {
        ...record.by,
        action: input.listed ? "product.listed" : "product.unlisted",
        object: { kind: "product", id: input.productId },
        resellerId: input.resellerId,
      });
  });
}
