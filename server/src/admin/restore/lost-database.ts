import sql from "sql-template-tag";
import { connectDatabase, type Db, type Queryable } from "../../db/database.ts";
import { listProcesses } from "../../db/primary/list-processes.ts";

/** An order that the lost database has. */
export type LostOrder = {
  id: string;
  resellerId: string;
  environment: string;
  status: string;
  currency: string;
  totalMinor: bigint;
};

/** When a key ended there. */
export type EndedKey = { id: string; endsAt: Date };

/** What the database before the restore knows that the restored one does not. It is only read. */
export type LostDatabase = {
  /** Which of these codes it knows, by their digests in hex, and whether each is still in stock there. */
  findCodes(digests: readonly Buffer[]): Promise<Map<string, { isInStock: boolean }>>;
  /** Codes that it has sold, of those that came since. Only `digest` has to be known here. */
  listSold(since: Date, afterId: string, limit: number): Promise<{ id: string; digest: Buffer }[]>;
  listOrders(since: Date, afterId: string, limit: number): Promise<LostOrder[]>;
  /** Which of these orders have delivered units there. */
  findDelivered(orderIds: readonly string[]): Promise<string[]>;
  /** Keys that were revoked or have an end. */
  listEndedKeys(): Promise<EndedKey[]>;
  close(): Promise<void>;
};

const POOL_SIZE = 1;

/** Refuses a database that cannot say what was sold since: the restored one itself, one that still sells, one that ends before. */
export async function openLostDatabase(
  connectionString: string,
  restored: Db,
  since: Date,
): Promise<LostDatabase> {
  const db = connectDatabase({
    connectionString,
    applicationName: "scrip restore",
    poolSize: POOL_SIZE,
    onConnectionLost: () => {},
    statementTimeoutMs: 0,
  });
  try {
    if ((await identify(db)) === (await identify(restored)))
      throw new RangeError("--lost is the restored database itself");
    const seconds = Math.max(0, ...(await listProcesses(db)).map(({ silentInSeconds }) => silentInSeconds));
    if (seconds > 0)
      throw new RangeError(
        `processes of Scrip still use the lost database and sell. Stop them first. If they have ended, run this again in ${seconds} s`,
      );
    const endedAt = await findLastWrite(db);
    if (endedAt === undefined || endedAt < since)
      throw new RangeError(
        `the last write to the lost database was ${endedAt?.toISOString() ?? "never"}, before --since: it cannot know what was sold since`,
      );
  } catch (error) {
    await db.close();
    throw error;
  }
  return { ...readsOf(db), close: db.close };
}

/** A server that runs, and the database in it, whichever way it is reached. */
async function identify(db: Queryable): Promise<string> {
  const [row] = await db.rows<{ identity: string }>(sql`
    select concat_ws(' ', (select system_identifier from pg_control_system()), pg_postmaster_start_time(),
      current_database()) as identity`);
  return row?.identity ?? "";
}

/** Serving processes write once a second. */
async function findLastWrite(db: Queryable): Promise<Date | undefined> {
  const [row] = await db.rows<{ at: Date | null }>(sql`
    select greatest((select max(beat_at) from processes), (select created_at from orders order by id desc limit 1),
      (select max(created_at) from codes)) as at`);
  return row?.at ?? undefined;
}

const readsOf = (db: Queryable): Omit<LostDatabase, "close"> => ({
  async findCodes(digests) {
    const rows = await db.rows<{ digest: string; isInStock: boolean }>(sql`
      select encode(digest, 'hex') as digest, bool_and(state in ('stock', 'expired')) as "isInStock"
      from codes where digest = any(${digests}::bytea[]) group by digest`);
    return new Map(rows.map(({ digest, isInStock }) => [digest, { isInStock }]));
  },
  listSold: (since, afterId, limit) =>
    db.rows<{ id: string; digest: Buffer }>(sql`
      select id, digest from codes
      where id > ${afterId} and created_at >= ${since} and digest is not null and state not in ('stock', 'expired')
      order by id limit ${limit}`),
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
  listEndedKeys: () =>
    db.rows<EndedKey>(sql`
      select id, least(revoked_at, expires_at) as "endsAt" from api_keys
      where revoked_at is not null or expires_at is not null order by id`),
});
