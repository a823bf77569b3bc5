import type { Db } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { Actor } from "../lib/actor.ts";
import { notFound } from "../lib/problem.ts";
import { findOrderOrigin } from "./queries.ts";

/** Who placed an order, and under which key. */
export type OrderOrigin = { idempotencyKey: string; placedBy: Actor };

/** How the caller's order came about. Another tenant's order is not found. */
export async function getOrderOrigin(db: Db, tenant: Tenant, id: string): Promise<OrderOrigin> {
  const origin = id.includes("\0") ? undefined : await findOrderOrigin(db, tenant, id);
  if (!origin) throw notFound();
  return origin;
}
