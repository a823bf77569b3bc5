import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { notFound } from "../../lib/problem.ts";
import { USER_AGENT } from "../delivery/attempt-delivery.ts";
import {
  type DeliveryDetailRow,
  type EventDeliveryRow,
  findDeliveryDetail,
  listEventDeliveryRows,
} from "./detail-queries.ts";
import { ATTEMPTS_SHOWN_MAX, type AttemptRow } from "./history-queries.ts";

export type DeliveryDetail = Omit<DeliveryDetailRow, "attempts"> & { attempts: AttemptRow[] };

/** One delivery with what was sent and what came back. Another reseller's delivery is not found. */
export async function getDelivery(db: Db, tenant: Tenant, id: string): Promise<DeliveryDetail> {
  const row = id.includes("\0") ? undefined : await findDeliveryDetail(db, tenant, id);
  if (!row) throw notFound();
  return { ...row, attempts: row.attempts ?? [] };
}

/** Whether older attempts are left out. */
export const hasOlderAttempts = ({ attemptCount }: { attemptCount: number }): boolean =>
  attemptCount > ATTEMPTS_SHOWN_MAX;

/**
 * The headers that an attempt was sent with. Of the signature only the time is known afterwards: signatures are not stored, and
 * the secret may have been rotated since.
 */
export const sentHeaders = (
  delivery: Pick<DeliveryDetail, "eventId" | "eventType" | "body">,
  at: Date,
): readonly (readonly [name: string, value: string])[] => [
  ["Content-Type", "application/json"],
  ["Content-Length", String(Buffer.byteLength(delivery.body))],
  ["User-Agent", USER_AGENT],
  ["Service-Signature", `t=${Math.floor(at.getTime() / 1_000)},v1=…`],
  ["Service-Event-Id", delivery.eventId],
  ["Service-Event-Type", delivery.eventType],
];

/** The deliveries of these events, by the id of their event. */
export async function deliveriesOfEvents(
  db: Db,
  tenant: Tenant,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, EventDeliveryRow[]>> {
  const rows = eventIds.length === 0 ? [] : await listEventDeliveryRows(db, tenant, eventIds);
  return Map.groupBy(rows, ({ eventId }) => eventId);
}
