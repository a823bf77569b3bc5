import type { Db } from "../db/database.ts";
import type { Caller } from "../http/caller.ts";
import { notFound } from "../lib/problem.ts";
import { toProduct } from "./product-view.ts";
import { findVisibleProduct } from "./queries.ts";
import type { RenderedReplies, RenderedReply } from "./rendered-replies.ts";

/** One rendered product as the reseller sees it. `not_found` if it is missing or not visible. */
export function getProduct(
  deps: { db: Db; renderedReplies: RenderedReplies },
  caller: Caller,
  productId: string,
  serialize: (value: unknown) => string,
): RenderedReply | Promise<RenderedReply> {
  const view = `product ${caller.resellerId} ${caller.environment} ${productId}`;
  return deps.renderedReplies.get(view, caller.catalogRevision, async () => {
    // NUL cannot be sent to the database, and no product id contains it.
    if (productId.includes("\0")) throw notFound();
    const found = await findVisibleProduct(deps.db, caller.resellerId, productId);
    const [row] = found.products;
    if (!row) throw notFound();
    return {
      catalogRevision: found.catalogRevision,
      text: serialize({
        product: toProduct(row, { environment: caller.environment, currency: found.currency }),
      }),
    };
  });
}
