import sql from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { Actor, ActorKind } from "../lib/actor.ts";

export type KeyRow = {
  id: string;
  resellerId: string;
  environment: Tenant["environment"];
  name: string;
  lastFour: string;
  scopes: string[];
  allowedIps: string[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  lastUsedIp: string | null;
  creatorKind: ActorKind | null;
  creatorId: string | null;
  /** The key that this one replaces, and the key that replaces this one. */
  replacesId: string | null;
  replacedById: string | null;
  /** The currency of its reseller, in which its limits are. */
  currency: string;
} & KeyLimitColumns;

/** What a key may spend: in one order, in a UTC day, and how many times its usual hour before it is frozen. */
export type KeyLimitColumns = {
  maxOrderMinor: bigint | null;
  maxDayMinor: bigint | null;
  velocityTimes: number | null;
  usualHourMinor: bigint | null;
  frozenAt: Date | null;
  /** The first UTC day whose spending is counted, such as 2030-01-31. */
  countedFrom: string | null;
};

export type LivingKeyRow = {
  id: string;
  digest: Buffer;
  resellerId: string;
  environment: Tenant["environment"];
  scopes: string[];
  allowedIps: string[];
  lastUsedAtMs: number | null;
  rateLimitOrders: number | null;
  rateLimitReads: number | null;
  catalogRevision: string;
};

/** The usable keys among these digests, with what every request needs to know about their resellers. */
export const findLivingKeys = (db: Queryable, digests: readonly Buffer[], now: Date) =>
  db.rows<LivingKeyRow>(
    sql`
      select
        k.id, k.digest, k.reseller_id as "resellerId", k.environment,
        -- The driver reads JSON and floats several times as fast as arrays and times.
        to_json(k.scopes) as scopes, to_json(k.allowed_ips) as "allowedIps",
        (extract(epoch from k.last_used_at) * 1000)::float8 as "lastUsedAtMs",
        r.rate_limit_orders as "rateLimitOrders", r.rate_limit_reads as "rateLimitReads",
        c.revision || '.' || r.catalog_revision as "catalogRevision"
      from api_keys k
      join resellers r on r.id = k.reseller_id
      cross join catalog_state c
      where k.digest = any(${digests}::bytea[])
        and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > ${now})`,
    { name: "find-living-keys" },
  );

/** Whether a tenant has no key yet. The reseller's row is locked, so that of two keys at once only one is the first. */
export const isFirstKey = async (tx: Tx, tenant: Tenant): Promise<boolean> => {
  await tx.rows(sql`select from resellers where id = ${tenant.resellerId} for no key update`);
  const [row] = await tx.rows(sql`
    select from api_keys
    where reseller_id = ${tenant.resellerId} and environment = ${tenant.environment} limit 1`);
  return row === undefined;
};

export type NewKey = Tenant & {
  id: string;
  name: string;
  digest: Buffer;
  lastFour: string;
  scopes: readonly string[];
  allowedIps: readonly string[];
  expiresAt: Date | null;
  creator: Actor;
  replacesId: string | null;
  now: Date;
} & Omit<KeyLimitColumns, "frozenAt">;

export const insertKey = (db: Queryable, key: NewKey) =>
  db.rows(sql`
    insert into api_keys
      (id, reseller_id, environment, name, digest, last_four, scopes, allowed_ips, created_at, expires_at, creator_kind,
       creator_id, replaces_id, max_order_minor, max_day_minor, velocity_times, usual_hour_minor, counted_from)
    values
      (${key.id}, ${key.resellerId}, ${key.environment}, ${key.name}, ${key.digest}, ${key.lastFour},
       ${key.scopes}, ${key.allowedIps}, ${key.now}, ${key.expiresAt}, ${key.creator.kind}, ${key.creator.id},
       ${key.replacesId}, ${key.maxOrderMinor}, ${key.maxDayMinor}, ${key.velocityTimes}, ${key.usualHourMinor},
       ${key.countedFrom}::date)`);

const keyColumns = sql`
  id, reseller_id as "resellerId", environment, name, last_four as "lastFour", scopes, allowed_ips as "allowedIps",
  created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
  last_used_at as "lastUsedAt", last_used_ip as "lastUsedIp", creator_kind as "creatorKind", creator_id as "creatorId",
  replaces_id as "replacesId", (select s.id from api_keys s where s.replaces_id = api_keys.id) as "replacedById",
  (select r.currency from resellers r where r.id = api_keys.reseller_id) as currency,
  max_order_minor as "maxOrderMinor", max_day_minor as "maxDayMinor", velocity_times as "velocityTimes",
  usual_hour_minor as "usualHourMinor", frozen_at as "frozenAt", counted_from::text as "countedFrom"`;

/** The key itself, kept from changing until the transaction ends. */
export const lockKey = async (tx: Tx, id: string): Promise<KeyRow | undefined> => {
  await tx.rows(sql`select from api_keys where id = ${id} for update`);
  const [row] = await tx.rows<KeyRow>(sql`select ${keyColumns} from api_keys where id = ${id}`);
  return row;
};

export const setKeyEnd = (
  tx: Tx,
  id: string,
  { expiresAt, revokedAt }: { expiresAt: Date | null; revokedAt: Date | null },
) => tx.rows(sql`update api_keys set expires_at = ${expiresAt}, revoked_at = ${revokedAt} where id = ${id}`);

export const updateKey = async (
  tx: Tx,
  id: string,
  { name, scopes, allowedIps }: Pick<KeyRow, "name" | "scopes" | "allowedIps">,
): Promise<KeyRow | undefined> => {
  const [row] = await tx.rows<KeyRow>(sql`
    update api_keys set name = ${name}, scopes = ${scopes}, allowed_ips = ${allowedIps} where id = ${id}
    returning ${keyColumns}`);
  return row;
};

export const findOwner = async (db: Queryable, resellerId: string) => {
  const [row] = await db.rows<{ id: string; name: string; currency: string }>(
    sql`select id, name, currency from resellers where id = ${resellerId}`,
  );
  if (!row) throw new Error("a key without a reseller");
  return row;
};

/** All keys, or those of one reseller, oldest first. */
export const listKeyRows = (db: Queryable, resellerId: string | undefined) =>
  db.rows<KeyRow>(sql`
    select ${keyColumns} from api_keys
    where ${resellerId ?? null}::text is null or reseller_id = ${resellerId ?? null}
    order by id`);

export const findKeyName = async (db: Queryable, resellerId: string, id: string) => {
  const [row] = await db.rows<Pick<KeyRow, "name" | "lastFour" | "environment">>(
    sql`
      select name, last_four as "lastFour", environment from api_keys
      where id = ${id} and reseller_id = ${resellerId}`,
    { name: "find-key-name" },
  );
  return row;
};

/** A tenant's keys, newest first. */
export const listTenantKeyRows = (db: Queryable, tenant: Tenant, limit: number) =>
  db.rows<KeyRow>(sql`
    select ${keyColumns} from api_keys
    where reseller_id = ${tenant.resellerId} and environment = ${tenant.environment}
    order by id desc limit ${limit}`);

export const findTenantKey = async (
  db: Queryable,
  tenant: Tenant,
  id: string,
): Promise<KeyRow | undefined> => {
  const [row] = await db.rows<KeyRow>(sql`
    select ${keyColumns} from api_keys
    where id = ${id} and reseller_id = ${tenant.resellerId} and environment = ${tenant.environment}`);
  return row;
};

/** Revoking a revoked key keeps the first revocation time. */
export const markKeyRevoked = (db: Queryable, id: string, now: Date) =>
  db.rows<KeyRow>(sql`
    update api_keys set revoked_at = coalesce(revoked_at, ${now}) where id = ${id}
    returning ${keyColumns}`);

/** At most once a minute per key, across all processes. Keys are locked in the order of their ids, as wherever several are. */
export const markKeysUsed = (
  db: Queryable,
  uses: { ids: readonly string[]; ips: readonly string[] },
  now: Date,
  olderThan: Date,
) =>
  db.rows(sql`
    update api_keys k set last_used_at = ${now}, last_used_ip = used.ip
    from (
      select id from api_keys
      where id = any(${uses.ids}::text[]) and (last_used_at is null or last_used_at < ${olderThan})
      order by id for update
    ) locked
    join unnest(${uses.ids}::text[], ${uses.ips}::text[]) as used (id, ip) on used.id = locked.id
    where k.id = locked.id`);
