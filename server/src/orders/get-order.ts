import type { Db } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { notFound } from "../lib/problem.ts";
import { toOrderView } from "./order-view.ts";
import { findOrder } from "./queries.ts";
import type { OrderView } from "./schemas.ts";

/** The caller's order. Another tenant's order is not found, like one that does not exist. */
export async function getOrder(db: Db, tenant: Tenant, id: string): Promise<OrderView> {
  const row = id.includes("\0") ? undefined : await findOrder(db, tenant, id);
  if (!row) throw notFound();
  return toOrderView(row);
}
