import sql from "sql-template-tag";
import type { Db, Tx } from "../server/src/db/database.ts";
import { firstIdAt } from "../server/src/lib/ids.ts";

const CHUNK = 100_000;

/**
 * Orders that are already there, with two lines, an entry each and no work left, as a busy year leaves them. Those of another
 * reseller need another year, because ids are made of it.
 */
export async function fillOrders(db: Db, resellerId: string, count: number, year = 2020): Promise<void> {
  const prefix = firstIdAt("ord", Date.UTC(year, 0, 1)).slice(4, 14);
  for (let from = 0; from < count; from += CHUNK) {
    const to = Math.min(from + CHUNK, count);
    await db.transaction((tx) => fillChunk(tx, { resellerId, prefix, from, to }));
    process.stdout.write(`\r${to} orders filled`);
  }
  process.stdout.write("\n");
  await db.rows(sql`vacuum analyze`);
  await db.rows(sql`checkpoint`);
}

/** For rows that are right as they are: without triggers and checks of references it takes a fraction of the time. */
export async function fillWithoutTriggers(tx: Tx): Promise<void> {
  await tx.rows(sql`set local session_replication_role to replica`);
  await tx.rows(sql`set local synchronous_commit to off`);
}

type Chunk = { resellerId: string; prefix: string; from: number; to: number };

async function fillChunk(db: Tx, { resellerId, prefix, from, to }: Chunk): Promise<void> {
  await fillWithoutTriggers(db);
  await db.rows(sql`
      insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, reference, status, total_minor,
                          currency, key_id, created_at, updated_at)
      select 'ord_' || ${prefix} || lpad(n::text, 16, '0'), ${resellerId}, 'live', 'filled-' || md5(n::text),
             sha256(n::text::bytea), 'invoice-' || n, 'completed', 4750, 'USD', 'key', now(), now()
      from generate_series(${from + 1}::bigint, ${to}::bigint) n`);
  await db.rows(sql`
      insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor,
                               quantity, line_total_minor, fulfilled_quantity)
      select 'ord_' || ${prefix} || lpad(n::text, 16, '0'), line, ${resellerId}, 'live', 'card-' || line, 'Card', 2375, 1, 2375, 1
      from generate_series(${from + 1}::bigint, ${to}::bigint) n, generate_series(0, 1) line`);
  await db.rows(sql`
      insert into ledger_entries (id, reseller_id, environment, sequence, type, counter_account, amount_minor,
                                  balance_after_minor, currency, order_id, hash, created_at)
      select 'ent_' || ${prefix} || lpad(n::text, 16, '0'), w.reseller_id, 'live', w.sequence + n - ${from}, 'order', 'sales',
             -4750, 0, 'USD', 'ord_' || ${prefix} || lpad(n::text, 16, '0'), sha256(n::text::bytea), now()
      from wallets w, generate_series(${from + 1}::bigint, ${to}::bigint) n
      where w.reseller_id = ${resellerId} and w.environment = 'live'`);
  await db.rows(sql`
      update wallets set sequence = sequence + ${to - from} where reseller_id = ${resellerId} and environment = 'live'`);
}
