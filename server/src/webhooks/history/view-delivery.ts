import type { AttemptRow, DeliveryRow } from "./history-queries.ts";
import type { AttemptView, DeliveryView } from "./schemas.ts";

/** A delivery as the endpoint's owner reads it. What there is not is left out. */
export const viewDelivery = (row: DeliveryRow): DeliveryView => ({
  id: row.id,
  eventId: row.eventId,
  eventType: row.eventType,
  webhookId: row.webhookId,
  status: row.status,
  attemptCount: row.attemptCount,
  attempts: (row.attempts ?? []).map(viewAttempt),
  ...(row.nextAttemptAt === null ? {} : { nextAttemptAt: row.nextAttemptAt.toISOString() }),
  createdAt: row.createdAt.toISOString(),
  ...(row.deliveredAt === null ? {} : { deliveredAt: row.deliveredAt.toISOString() }),
});

const viewAttempt = (row: AttemptRow): AttemptView => ({
  number: row.number,
  at: new Date(row.at).toISOString(),
  ...(row.status === null ? {} : { status: row.status }),
  ...(row.error === null ? {} : { error: row.error }),
  latencyMs: row.latencyMs,
  ...(row.responseBody === null ? {} : { responseBody: row.responseBody }),
});
