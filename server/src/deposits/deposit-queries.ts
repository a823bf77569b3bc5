import sql, { empty, type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { Deposit, DepositStatus } from "./deposit.ts";

const depositColumns = sql`
  d.id, d.reseller_id as "resellerId", d.environment, d.currency, d.amount_minor as "amountMinor", d.reference, d.note,
  d.actor_kind as "actorKind", d.actor_id as "actorId", d.created_at as "createdAt", d.status,
  d.received_minor as "receivedMinor", d.received_by_hand as "receivedByHand", d.received_at as "receivedAt",
  d.credited_at as "creditedAt", d.entry_id as "entryId", d.rejected_at as "rejectedAt", d.reason`;

export type NewDeposit = Pick<
  Deposit,
  | "id"
  | "resellerId"
  | "environment"
  | "currency"
  | "amountMinor"
  | "reference"
  | "note"
  | "actorKind"
  | "actorId"
  | "createdAt"
> & { idempotencyKey: string | undefined };

/** Undefined if the tenant used the key before. A request that is writing it now is waited for. */
export const insertDeposit = async (tx: Tx, deposit: NewDeposit): Promise<Deposit | undefined> => {
  const [row] = await tx.rows<Deposit>(sql`
    insert into deposits as d (id, reseller_id, environment, currency, amount_minor, reference, note, idempotency_key,
                               actor_kind, actor_id, created_at)
    values (${deposit.id}, ${deposit.resellerId}, ${deposit.environment}, ${deposit.currency}, ${deposit.amountMinor},
            ${deposit.reference}, ${deposit.note}, ${deposit.idempotencyKey ?? null}, ${deposit.actorKind},
            ${deposit.actorId}, ${deposit.createdAt})
    on conflict (reseller_id, environment, idempotency_key) do nothing
    returning ${depositColumns}`);
  return row;
};

export const findByKey = async (db: Queryable, tenant: Tenant, key: string): Promise<Deposit | undefined> => {
  const [row] = await db.rows<Deposit>(sql`
    select ${depositColumns} from deposits d
    where d.reseller_id = ${tenant.resellerId} and d.environment = ${tenant.environment} and d.idempotency_key = ${key}`);
  return row;
};

/** Requests since this id that nobody has paid, received or rejected. */
export const countRequested = async (db: Queryable, tenant: Tenant, sinceId: string): Promise<number> => {
  const [row] = await db.rows<{ count: bigint }>(sql`
    select count(*) as count from deposits
    where reseller_id = ${tenant.resellerId} and environment = ${tenant.environment} and id >= ${sinceId}
      and status = 'requested'`);
  return Number(row?.count ?? 0);
};

export const findDeposit = async (
  db: Queryable,
  id: string,
  tenant?: Tenant,
): Promise<Deposit | undefined> => {
  const [row] = await db.rows<Deposit>(sql`
    select ${depositColumns} from deposits d where d.id = ${id} ${tenant ? sql`and ${ownedBy(tenant)}` : empty}`);
  return row;
};

/** Locks the deposit until the transaction ends: of two people who decide at once, the second reads what the first wrote. */
export const lockDeposit = async (tx: Tx, id: string): Promise<Deposit | undefined> => {
  const [row] = await tx.rows<Deposit>(
    sql`select ${depositColumns} from deposits d where d.id = ${id} for update`,
  );
  return row;
};

export const listByReferences = (db: Queryable, references: readonly string[]) =>
  db.rows<Deposit>(
    sql`select ${depositColumns} from deposits d where d.reference = any(${references}::text[])`,
  );

export type DepositSelection = {
  status?: DepositStatus | undefined;
  before: string | undefined;
  limit: number;
};

/** A tenant's deposits, newest first. */
export const listDepositRows = (db: Queryable, tenant: Tenant, { status, before, limit }: DepositSelection) =>
  db.rows<Deposit>(sql`
    select ${depositColumns} from deposits d
    where ${ownedBy(tenant)} ${status === undefined ? empty : sql`and d.status = ${status}`}
      ${before === undefined ? empty : sql`and d.id < ${before}`}
    order by d.id desc limit ${limit}`);

export type NamedDeposit = Deposit & { resellerName: string };

/** Deposits of all resellers, newest first. */
export const listAnyDepositRows = (
  db: Queryable,
  environment: Tenant["environment"],
  { status, before, limit, resellerId }: DepositSelection & { resellerId?: string | undefined },
) =>
  db.rows<NamedDeposit>(sql`
    select ${depositColumns}, r.name as "resellerName"
    from deposits d join resellers r on r.id = d.reseller_id
    where d.environment = ${environment} ${status === undefined ? empty : sql`and d.status = ${status}`}
      ${resellerId === undefined ? empty : sql`and d.reseller_id = ${resellerId}`}
      ${before === undefined ? empty : sql`and d.id < ${before}`}
    order by d.id desc limit ${limit}`);

/** Deposits that arrived and that nobody has credited or proposed to credit: a proposal waits for itself. Counted up to a maximum. */
export const countToCredit = async (
  db: Queryable,
  { environment, now, max }: { environment: Tenant["environment"]; now: Date; max: number },
): Promise<{ count: number; oldestAt: Date | null }> => {
  const [row] = await db.rows<{ count: number; oldestAt: Date | null }>(sql`
    select count(*)::integer as count, min(received_at) as "oldestAt" from (
      select received_at from deposits d
      where environment = ${environment} and status = 'received' and not exists (
        select from movement_proposals p where p.deposit_id = d.id and p.state = 'waiting' and p.expires_at > ${now})
      order by id limit ${max}
    ) d`);
  return row ?? { count: 0, oldestAt: null };
};

export const markReceived = async (
  tx: Tx,
  id: string,
  received: { receivedMinor: bigint; receivedByHand: boolean; at: Date },
): Promise<Deposit> =>
  one(
    await tx.rows<Deposit>(sql`
      update deposits d
      set status = 'received', received_minor = ${received.receivedMinor},
          received_by_hand = ${received.receivedByHand}, received_at = coalesce(received_at, ${received.at})
      where id = ${id} and status in ('requested', 'received')
      returning ${depositColumns}`),
  );

export const markCredited = async (
  tx: Tx,
  id: string,
  credited: { entryId: string; at: Date },
): Promise<Deposit> =>
  one(
    await tx.rows<Deposit>(sql`
      update deposits d set status = 'credited', entry_id = ${credited.entryId}, credited_at = ${credited.at}
      where id = ${id} and status = 'received'
      returning ${depositColumns}`),
  );

export const markRejected = async (
  tx: Tx,
  id: string,
  rejected: { reason: string; at: Date },
): Promise<Deposit> =>
  one(
    await tx.rows<Deposit>(sql`
      update deposits d set status = 'rejected', reason = ${rejected.reason}, rejected_at = ${rejected.at}
      where id = ${id} and status in ('requested', 'received')
      returning ${depositColumns}`),
  );

/** The oldest test deposits that nothing has happened to, but for those that asked to wait. */
export const listTestRequests = (db: Queryable, waitNote: string, limit: number) =>
  db.rows<{ id: string }>(sql`
    select id from deposits
    where environment = 'test' and status = 'requested' and note is distinct from ${waitNote}
    order by id limit ${limit}`);

/** Whether the credit of this deposit waits for a second person. */
export const findWaitingProposal = async (
  db: Queryable,
  depositId: string,
  now: Date,
): Promise<{ id: string; proposedBy: string } | undefined> => {
  const [row] = await db.rows<{ id: string; proposedBy: string }>(sql`
    select id, proposed_by as "proposedBy" from movement_proposals
    where deposit_id = ${depositId} and state = 'waiting' and expires_at > ${now}
    order by id limit 1`);
  return row;
};

const ownedBy = ({ resellerId, environment }: Tenant): Sql =>
  sql`d.reseller_id = ${resellerId} and d.environment = ${environment}`;

function one(rows: readonly Deposit[]): Deposit {
  const [row] = rows;
  if (!row) throw new Error("a locked deposit was changed by another transaction");
  return row;
}
