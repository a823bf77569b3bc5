import sql, { type Sql } from "sql-template-tag";
import { fromRows, type SentColumn } from "../db/column-arrays.ts";
import type { Tx } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { type Ids, timeOfId } from "../lib/ids.ts";
import { isSubscribed } from "./event-queries.ts";
import { BROADCAST_TYPES, type EVENT_TABLE, type EventDataOf, type EventType } from "./event-types.ts";

/** Something that happened, to be told to the reseller it happened to. */
export type NewEvent = { [T in EventType]: EventOf<T> }[EventType];

type EventOf<T extends EventType> = Tenant & {
  type: T;
  /** What it is about. */
  subject: { kind: (typeof EVENT_TABLE)[T]["subject"]; id: string };
  /** What brought it about, such as the id of a ledger entry. A subject has one event for each cause. */
  cause: string;
  data: EventDataOf<T>;
  /** How the sandbox was asked to deliver it. A live event must not have this. */
  wishes?: DeliveryWishes | undefined;
};

export type DeliveryWishes = { delayMs?: number; sendTwice?: boolean; badSignature?: boolean };

/**
 * Writes events and a delivery of each for every endpoint that gets it now, in the caller's transaction: neither exists
 * without the other, or without what they tell. A second event for the same subject and cause fails the transaction.
 * Returns the ids of the events.
 */
export async function emitEvents(
  tx: Tx,
  events: readonly NewEvent[],
  ids: Ids,
  now: Date,
): Promise<string[]> {
  if (events.length === 0) return [];
  const rows = toEventRows(events, ids, now);
  await tx.rows(sql`with ${emitParts(rows, now)} select`, { name: "emit-events" });
  return rows.map((row) => row.id);
}

/** Events as they are written, each with a new id. */
export const toEventRows = (events: readonly NewEvent[], ids: Ids, now: Date) =>
  events.map((event) => toRow(event, ids("evt"), now));

/** Parts of a `with` that write events and their deliveries. For a statement that writes what they tell as well. */
export const emitParts = (rows: ReturnType<typeof toEventRows>, now: Date): Sql => sql`
  told as materialized (
    select * from ${fromRows("e", EVENT_COLUMNS, rows)}
  ), written as (
    insert into events (id, reseller_id, environment, type, body, order_id, subject_kind, subject_id, cause, created_at,
                        send_twice, bad_signature)
    select id, reseller_id, environment, type, body, order_id, subject_kind, subject_id, cause, created_at, send_twice,
           bad_signature
    from told
  ), sent as (
    insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
    select delivery_id(e.id, w.id), e.id, w.id, e.due_at, ${now}
    from told e
    join webhook_endpoints w on w.reseller_id = e.reseller_id and w.environment = e.environment
      and w.deleted_at is null and w.active
      and case when e.type = any(${BROADCAST_TYPES}::text[]) then ${isSubscribed} else w.id = e.subject_id end
  )`;

type EventRow = ReturnType<typeof toRow>;

const EVENT_COLUMNS: readonly SentColumn<EventRow>[] = [
  { column: "id", type: "text", value: (row) => row.id },
  { column: "reseller_id", type: "text", value: (row) => row.resellerId },
  { column: "environment", type: "text", value: (row) => row.environment },
  { column: "type", type: "text", value: (row) => row.type },
  { column: "body", type: "text", value: (row) => row.body },
  { column: "order_id", type: "text", value: (row) => row.orderId },
  { column: "subject_kind", type: "text", value: (row) => row.subjectKind },
  { column: "subject_id", type: "text", value: (row) => row.subjectId },
  { column: "cause", type: "text", value: (row) => row.cause },
  { column: "created_at", type: "timestamptz", value: (row) => row.createdAt },
  { column: "send_twice", type: "boolean", value: (row) => row.sendTwice },
  { column: "bad_signature", type: "boolean", value: (row) => row.badSignature },
  { column: "due_at", type: "timestamptz", value: (row) => row.dueAt },
];

function toRow(event: NewEvent, id: string, now: Date) {
  // The time inside the id, so that a range of times is a range of ids.
  const createdAt = new Date(timeOfId(id));
  const { type, subject, wishes } = event;
  const isOrder = subject.kind === "order";
  return {
    id,
    type,
    resellerId: event.resellerId,
    environment: event.environment,
    cause: event.cause,
    createdAt,
    body: eventBody({ id, type, createdAt, data: event.data }),
    orderId: isOrder ? subject.id : null,
    subjectKind: isOrder ? null : subject.kind,
    subjectId: isOrder ? null : subject.id,
    sendTwice: wishes?.sendTwice ?? false,
    badSignature: wishes?.badSignature ?? false,
    dueAt: new Date(now.getTime() + (wishes?.delayMs ?? 0)),
  };
}

/** The envelope of SPEC.md as the text that is stored once, signed and sent unchanged. */
export const eventBody = (event: {
  id: string;
  type: EventType;
  createdAt: Date;
  data: EventDataOf<EventType>;
}): string =>
  JSON.stringify({
    id: event.id,
    type: event.type,
    created_at: event.createdAt.toISOString(),
    data: event.data,
  });
