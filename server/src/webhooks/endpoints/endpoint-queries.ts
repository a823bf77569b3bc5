import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";

export type EndpointRow = {
  id: string;
  url: string;
  /** Null is all types that are sent by default, future ones too. */
  events: string[] | null;
  active: boolean;
  createdAt: Date;
  updatedAt: Date;
  failingSince: Date | null;
};

const endpointColumns = sql`
  id, url, events, active, created_at as "createdAt", updated_at as "updatedAt", failing_since as "failingSince"`;

/** The tenant's endpoint with that id, unless it was removed. */
const living = (tenant: Tenant, id: string): Sql => sql`
  id = ${id} and reseller_id = ${tenant.resellerId} and environment = ${tenant.environment} and deleted_at is null`;

/** Any fixed number works; with the hash of a tenant it is that tenant's lock. */
const ENDPOINTS_LOCK = 7_242_004;

/** One registration of a tenant at a time counts and inserts. */
export const lockEndpoints = (tx: Tx, tenant: Tenant) =>
  tx.rows(sql`
    select pg_advisory_xact_lock(${ENDPOINTS_LOCK}, hashtext(${`${tenant.resellerId} ${tenant.environment}`}))`);

export const countEndpoints = async (tx: Tx, tenant: Tenant): Promise<number> => {
  const [row] = await tx.rows<{ count: number }>(sql`
    select count(*)::integer as count from webhook_endpoints
    where reseller_id = ${tenant.resellerId} and environment = ${tenant.environment} and deleted_at is null`);
  return row?.count ?? 0;
};

export const insertEndpoint = (tx: Tx, tenant: Tenant, row: EndpointRow) =>
  tx.rows(sql`
    insert into webhook_endpoints (id, reseller_id, environment, url, events, active, created_at, updated_at)
    values (${row.id}, ${tenant.resellerId}, ${tenant.environment}, ${row.url}, ${row.events}, ${row.active},
            ${row.createdAt}, ${row.updatedAt})`);

export const findEndpoint = async (
  db: Queryable,
  tenant: Tenant,
  id: string,
): Promise<EndpointRow | undefined> => {
  const [row] = await db.rows<EndpointRow>(sql`
    select ${endpointColumns} from webhook_endpoints where ${living(tenant, id)}`);
  return row;
};

/** The endpoint, locked against changes until the transaction ends. */
export const lockEndpoint = async (tx: Tx, tenant: Tenant, id: string): Promise<EndpointRow | undefined> => {
  const [row] = await tx.rows<EndpointRow>(sql`
    select ${endpointColumns} from webhook_endpoints where ${living(tenant, id)} for no key update`);
  return row;
};

/** Newest first. */
export const listEndpointRows = (
  db: Queryable,
  tenant: Tenant,
  page: { beforeId: string | undefined; limit: number },
) =>
  db.rows<EndpointRow>(sql`
    select ${endpointColumns} from webhook_endpoints
    where reseller_id = ${tenant.resellerId} and environment = ${tenant.environment} and deleted_at is null
      and (${page.beforeId ?? null}::text is null or id < ${page.beforeId ?? null})
    order by id desc limit ${page.limit}`);

/** Writes the fields that a caller can change. `afresh` clears the record of failure. */
export const updateEndpoint = (tx: Tx, tenant: Tenant, row: EndpointRow, { afresh }: { afresh: boolean }) =>
  tx.rows(sql`
    update webhook_endpoints
    set url = ${row.url}, events = ${row.events}, active = ${row.active}, updated_at = ${row.updatedAt},
        failing_since = case when ${afresh} then null else failing_since end,
        failures = case when ${afresh} then 0 else failures end,
        notified = case when ${afresh} then 'nothing' else notified end
    where ${living(tenant, row.id)}`);

/** False if there is no such endpoint. */
export const markEndpointDeleted = async (
  db: Queryable,
  tenant: Tenant,
  id: string,
  now: Date,
): Promise<boolean> => {
  const marked = await db.rows(sql`
    update webhook_endpoints set deleted_at = ${now}, active = false, updated_at = ${now}
    where ${living(tenant, id)} returning id`);
  return marked.length > 0;
};

/** Whose endpoint it is, for the operator, who knows only its id. */
export const findEndpointTenant = async (db: Queryable, id: string): Promise<Tenant | undefined> => {
  const [row] = await db.rows<Tenant>(sql`
    select reseller_id as "resellerId", environment from webhook_endpoints where id = ${id} and deleted_at is null`);
  return row;
};
