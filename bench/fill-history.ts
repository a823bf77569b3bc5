import sql from "sql-template-tag";
import type { Db, Tx } from "../server/src/db/database.ts";
import { firstIdAt } from "../server/src/lib/ids.ts";
import { keepPartitions } from "../server/src/requests/partitions.ts";
import { addEndpoint } from "../server/testing/builders/webhook-builders.ts";
import { fillWithoutTriggers } from "./fill-orders.ts";

const CHUNK = 100_000;

/** What else a reseller's lists are made of: events with a delivery each, requests of today, activity. Returns the endpoint. */
export async function fillHistory(db: Db, resellerId: string, count: number, year: number): Promise<string> {
  await keepPartitions(db, new Date());
  const endpointId = await addEndpoint(db, { resellerId, environment: "live" });
  const past = firstIdAt("evt", Date.UTC(year, 0, 1)).slice(4, 14);
  const today = firstIdAt("req", Date.now()).slice(4, 14);
  for (let from = 0; from < count; from += CHUNK) {
    const to = Math.min(from + CHUNK, count);
    await db.transaction((tx) => fillChunk(tx, { resellerId, endpointId, past, today, year, from, to }));
    process.stdout.write(`\r${to} events, requests and entries of the log filled`);
  }
  process.stdout.write("\n");
  return endpointId;
}

type Chunk = {
  resellerId: string;
  endpointId: string;
  /** The beginnings of ids of that year, and of today. */
  past: string;
  today: string;
  year: number;
  from: number;
  to: number;
};

async function fillChunk(
  tx: Tx,
  { resellerId, endpointId, past, today, year, from, to }: Chunk,
): Promise<void> {
  await fillWithoutTriggers(tx);
  const numbers = sql`generate_series(${from + 1}::bigint, ${to}::bigint) n`;
  await tx.rows(sql`
      insert into events (id, reseller_id, environment, type, body, created_at)
      select 'evt_' || ${past} || lpad(n::text, 16, '0'), ${resellerId}, 'live', 'order.fulfilled',
             '{"id":"evt","type":"order.fulfilled","created_at":"2026-01-01T00:00:00.000Z","data":{}}', now()
      from ${numbers}`);
  await tx.rows(sql`
      insert into deliveries (id, event_id, endpoint_id, status, attempts, created_at, delivered_at)
      select delivery_id(id, ${endpointId}), id, ${endpointId}, 'delivered', 1, now(), now()
      from (select 'evt_' || ${past} || lpad(n::text, 16, '0') as id from ${numbers}) events`);
  await tx.rows(sql`
      insert into api_requests (id, reseller_id, environment, actor_kind, actor_id, method, path, status, error_code,
                                error_body, duration_ms, address)
      select 'req_' || ${today} || ${String(year % 100)} || lpad(n::text, 14, '0'), ${resellerId}, 'live', 'key', 'key',
             'POST', '/v1/orders', case when n % 50 = 0 then 402 else 202 end,
             case when n % 50 = 0 then 'insufficient_funds' end, case when n % 50 = 0 then '{}' end, 5, '192.0.2.1'
      from ${numbers}`);
  await tx.rows(sql`
      insert into activity (id, at, actor_kind, actor_id, action, object_kind, object_id, reseller_id, environment)
      select 'act_' || ${past} || lpad(n::text, 16, '0'), now(), 'command', 'scrip', 'key.changed', 'key', 'key_' || n,
             ${resellerId}, 'live'
      from ${numbers}`);
}
