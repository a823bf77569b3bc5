import type { Db } from "../db/database.ts";
import type { Caller } from "../http/caller.ts";
import { notFound } from "../lib/problem.ts";
import { toProduct } from "./product-view.ts";
import { findVisibleProduct } from "./queries.ts";
import type { RenderedReplies, RenderedReply } from "./rendered-replies.ts";

/** One product as the reseller sees it, rendered; `not_found` for what it may not see and for what is not there. */
export function getProduct(
  deps: { db: Db; renderedReplies: RenderedReplies },
  caller: Caller,
  productId: string,
  serialize: (value: unknown) => string,
): RenderedReply | Promise<RenderedReply> {
  const view = `product ${caller.resellerId} ${caller.environment} ${productId}`;
  return deps.renderedReplies.get(view, caller.catalogRevision, async () => {
    // NUL cannot be sent to the database, and no product has it in its id.
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
