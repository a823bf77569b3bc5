import sql, { type Sql } from "sql-template-tag";
import type { Db } from "../db/database.ts";
import { type PartitionRange, type TimePartitions, tryKeepTimePartitions } from "../db/time-partitions.ts";

/** CONTRACT 6: events can be recovered for 30 days. One more, because the processes of an installation differ in their clocks. */
const KEPT_DAYS = 31;
/** Four weeks each: every partition more makes each read a little slower, most of all its planning. */
const PART = { days: 28, daysAhead: 7, keptDays: KEPT_DAYS };

/** The trigger `events_owner` sees to it that a cause is unique over all partitions. It knows how long one is. */
export const EVENT_PARTITIONS: TimePartitions = {
  ...PART,
  table: "events",
  key: "id",
  prefix: "evt",
  unique: {
    once: "(order_id, cause) where order_id is not null",
    once_per_subject:
      "(subject_kind, subject_id, reseller_id, environment, cause) where subject_id is not null",
  },
  needed: (range) => sql`select from deliveries where ${within(deliveriesOf(range))} limit 1`,
};

/** A delivery's id follows from its event and endpoint and has the event's time, so one pair is always in one partition. */
export const DELIVERY_PARTITIONS: TimePartitions = {
  ...PART,
  table: "deliveries",
  key: "id",
  prefix: "dlv",
  unique: { once: "(event_id, endpoint_id)" },
  needed: (range) => sql`select from deliveries where status = 'pending' and ${within(range)} limit 1`,
};

/**
 * Creates the partitions of events and deliveries ahead of time, and drops those that are older than every promise. One with a pending
 * delivery stays until that is delivered or has failed. Events go after their deliveries.
 */
export async function keepEventPartitions(db: Db, now: Date): Promise<void> {
  await tryKeepTimePartitions(db, DELIVERY_PARTITIONS, now);
  await tryKeepTimePartitions(db, EVENT_PARTITIONS, now);
}

const deliveriesOf = ({ from, until }: PartitionRange): PartitionRange => ({
  from: from && asDelivery(from),
  until: asDelivery(until),
});

const asDelivery = (eventId: string): string => eventId.replace(/^evt/, "dlv");

const within = ({ from, until }: PartitionRange): Sql => sql`id >= ${from ?? ""} and id < ${until}`;
