import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { notFound } from "../lib/problem.ts";
import { findTenantKey, type KeyRow, listTenantKeyRows } from "./queries.ts";

export type KeyState = "active" | "frozen" | "ending" | "expired" | "revoked";

/** The newest keys of a reseller in one environment. Nobody works with more. */
const KEYS_LISTED_MAX = 500;
/** So long before its end a key is said to be ending. */
const ENDING_MS = 14 * 86_400_000;

/** The keys of a reseller in one environment, newest first. */
export const listKeys = (db: Queryable, tenant: Tenant): Promise<KeyRow[]> =>
  listTenantKeyRows(db, tenant, KEYS_LISTED_MAX);

/** The tenant's key. Another reseller's, and one of the other environment, is not found. */
export async function getKey(db: Queryable, tenant: Tenant, id: string): Promise<KeyRow> {
  const row = id.includes("\0") ? undefined : await findTenantKey(db, tenant, id);
  if (!row) throw notFound();
  return row;
}

export function keyState({ revokedAt, expiresAt, frozenAt }: KeyRow, now: Date): KeyState {
  if (revokedAt) return "revoked";
  const left = expiresAt ? expiresAt.getTime() - now.getTime() : Number.POSITIVE_INFINITY;
  if (left <= 0) return "expired";
  if (frozenAt) return "frozen";
  return left < ENDING_MS ? "ending" : "active";
}
