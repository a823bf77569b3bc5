import sql from "sql-template-tag";
import { connectDatabase, type Db, type Queryable } from "../../db/database.ts";

/** An order that exists only in the lost database. */
export type LostOrder = {
  id: string;
  resellerId: string;
  environment: string;
  status: string;
  currency: string;
  totalMinor: bigint;
};

/** What the database before the restore knows that the restored one does not. It is only read. */
export type LostDatabase = {
  /** Which of these codes are no longer in stock there. */
  findSold(ids: readonly string[]): Promise<string[]>;
  listOrders(since: Date, afterId: string, limit: number): Promise<LostOrder[]>;
  /** Which of these orders have delivered units there. */
  findDelivered(orderIds: readonly string[]): Promise<string[]>;
  /** Keys that were revoked there since. */
  listRevokedKeys(since: Date): Promise<string[]>;
  close(): Promise<void>;
};

const POOL_SIZE = 1;

/** Refuses the restored database itself: it would say that nothing was sold. */
export async function openLostDatabase(connectionString: string, restored: Db): Promise<LostDatabase> {
  const db = connectDatabase({
    connectionString,
    applicationName: "scrip restore",
    poolSize: POOL_SIZE,
    onConnectionLost: () => {},
    statementTimeoutMs: 0,
  });
  try {
    const [there, here] = [await identify(db), await identify(restored)];
    if (there === here) throw new RangeError("--lost is the restored database itself");
  } catch (error) {
    await db.close();
    throw error;
  }
  return { ...readsOf(db), close: db.close };
}

/** A server that runs, and the database in it. */
async function identify(db: Queryable): Promise<string> {
  const [row] = await db.rows<{ identity: string }>(sql`
    select concat_ws(' ', (select system_identifier from pg_control_system()), inet_server_addr(), inet_server_port(),
      pg_postmaster_start_time(), current_database()) as identity`);
  return row?.identity ?? "";
}

const readsOf = (db: Queryable): Omit<LostDatabase, "close"> => ({
  async findSold(ids) {
    const rows = await db.rows<{ id: string }>(sql`
      select id from codes where id = any(${ids}::text[]) and state not in ('stock', 'expired')`);
    return rows.map(({ id }) => id);
  },
  listOrders: (since, afterId, limit) =>
    db.rows<LostOrder>(sql`
      select id, reseller_id as "resellerId", environment, status, currency, total_minor as "totalMinor"
      from orders where created_at >= ${since} and id > ${afterId} order by id limit ${limit}`),
  async findDelivered(orderIds) {
    const rows = await db.rows<{ id: string }>(sql`
      select distinct order_id as id from order_units
      where order_id = any(${orderIds}::text[]) and status = 'delivered' order by order_id`);
    return rows.map(({ id }) => id);
  },
  async listRevokedKeys(since) {
    const rows = await db.rows<{ id: string }>(sql`
      select id from api_keys where revoked_at >= ${since} order by id`);
    return rows.map(({ id }) => id);
  },
});
