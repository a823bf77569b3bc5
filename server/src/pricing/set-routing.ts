import sql from "sql-template-tag";
import { lockCatalog } from "../catalog/lock-catalog.ts";
import type { Db } from "../db/database.ts";
import { ROUTINGS, type Routing } from "./choose-route.ts";

/** How the supplier of a product is chosen from now on. */
export async function setRouting(
  db: Db,
  productId: string,
  by: string,
): Promise<{ productId: string; routing: Routing }> {
  const routing = ROUTINGS.find((known) => known === by);
  if (!routing) throw new RangeError(`--by must be ${ROUTINGS.join(" or ")}, not "${by}"`);
  const [changed] = await db.transaction(async (tx) => {
    await lockCatalog(tx);
    return tx.rows(sql`update products set routing = ${routing} where id = ${productId} returning id`);
  });
  if (!changed) throw new RangeError(`there is no product "${productId}"`);
  return { productId, routing };
}
