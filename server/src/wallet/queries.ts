import sql, { empty, join, type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { firstIdAt } from "../lib/ids.ts";
import type { Entry, EntryType, WalletHead } from "./entry.ts";

/** Locks the wallet until the transaction ends. Every movement of money goes through this lock. */
export const lockWallet = async (tx: Tx, tenant: Tenant): Promise<WalletHead | undefined> => {
  const [row] = await tx.rows<WalletHead>(sql`
    select reseller_id as "resellerId", environment, currency, balance_minor as "balanceMinor", sequence,
           head_hash as hash, last_entry_at as "lastEntryAt"
    from wallets
    where reseller_id = ${tenant.resellerId} and environment = ${tenant.environment}
    for update`);
  return row;
};

/** Locks both wallets of a reseller, in the order in which placements lock theirs. */
export const lockWalletsOf = (tx: Tx, resellerId: string) =>
  tx.rows(sql`
    select from wallets where reseller_id = ${resellerId} order by reseller_id, environment for update`);

/** Returns false if the wallet already exists. */
export const insertWallet = async (tx: Tx, head: WalletHead): Promise<boolean> => {
  const inserted = await tx.rows(sql`
    insert into wallets (reseller_id, environment, currency, balance_minor, sequence, head_hash, last_entry_at)
    values (${head.resellerId}, ${head.environment}, ${head.currency}, ${head.balanceMinor}, ${head.sequence},
            ${head.hash}, ${head.lastEntryAt})
    on conflict do nothing
    returning reseller_id`);
  return inserted.length > 0;
};

export const updateWallet = (tx: Tx, head: WalletHead) =>
  tx.rows(sql`
    update wallets
    set balance_minor = ${head.balanceMinor}, sequence = ${head.sequence}, head_hash = ${head.hash},
        last_entry_at = ${head.lastEntryAt}
    where reseller_id = ${head.resellerId} and environment = ${head.environment}`);

export const insertEntry = (tx: Tx, entry: Entry) =>
  tx.rows(sql`
    insert into ledger_entries
      (id, reseller_id, environment, sequence, type, counter_account, amount_minor, balance_after_minor, currency,
       order_id, note, hash, created_at, deposit_id)
    values
      (${entry.id}, ${entry.resellerId}, ${entry.environment}, ${entry.sequence}, ${entry.type}, ${entry.counterAccount},
       ${entry.amountMinor}, ${entry.balanceAfterMinor}, ${entry.currency}, ${entry.orderId}, ${entry.note},
       ${entry.hash}, ${entry.createdAt}, ${entry.depositId ?? null})`);

export const findWallet = async (db: Queryable, tenant: Tenant) => {
  const [row] = await db.rows<{ balanceMinor: bigint; currency: string }>(
    sql`
      select balance_minor as "balanceMinor", currency from wallets
      where reseller_id = ${tenant.resellerId} and environment = ${tenant.environment}`,
    { name: "find-wallet" },
  );
  return row;
};

/** Resellers created before wallets existed. */
export const listResellersWithoutWallets = (tx: Tx) =>
  tx.rows<{ id: string; currency: string }>(sql`
    select id, currency from resellers r
    where not exists (select from wallets w where w.reseller_id = r.id and w.environment = 'live')
       or not exists (select from wallets w where w.reseller_id = r.id and w.environment = 'test')
    order by id`);

export type EntryRow = {
  id: string;
  sequence: bigint;
  type: EntryType;
  amountMinor: bigint;
  balanceAfterMinor: bigint;
  currency: string;
  orderId: string | null;
  note: string | null;
  createdAt: Date;
};

export type EntryFilters = {
  type?: EntryType | undefined;
  orderId?: string | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
};

export type EntrySelection = EntryFilters & { before: bigint | undefined; limit: number };

/** Wallet entries, newest first. */
export const listEntryRows = (db: Queryable, tenant: Tenant, selection: EntrySelection) =>
  db.rows<EntryRow>(sql`
    select id, sequence, type, amount_minor as "amountMinor", balance_after_minor as "balanceAfterMinor", currency,
           order_id as "orderId", note, created_at as "createdAt"
    from ${entriesOf(tenant, selection)} e
    order by sequence desc
    limit ${selection.limit}`);

/** What the operator does to a wallet: a credit is a deposit, a debit is an adjustment. */
export const MOVEMENT_TYPES = ["deposit", "adjustment"] as const satisfies readonly EntryType[];
export type MovementType = (typeof MOVEMENT_TYPES)[number];

export type MovementRow = EntryRow & { resellerId: string; resellerName: string };

export type MovementFilters = {
  resellerId?: string | undefined;
  type?: MovementType | undefined;
  /** Times are read from the ids of the entries. */
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
};

export type MovementSelection = MovementFilters & { before: string | undefined; limit: number };

/** Credits and debits of the operator in all wallets of an environment, newest first. */
export const listMovementRows = (
  db: Queryable,
  environment: Tenant["environment"],
  { resellerId, type, createdFrom, createdTo, before, limit }: MovementSelection,
) =>
  db.rows<MovementRow>(sql`
    select e.id, e.sequence, e.type, e.amount_minor as "amountMinor", e.balance_after_minor as "balanceAfterMinor",
           e.currency, e.order_id as "orderId", e.note, e.created_at as "createdAt", e.reseller_id as "resellerId",
           r.name as "resellerName"
    from (
      select * from ledger_entries
      where environment = ${environment} and type in ('deposit', 'adjustment')
        ${resellerId === undefined ? empty : sql`and reseller_id = ${resellerId}`}
        ${type === undefined ? empty : sql`and type = ${type}`}
        ${createdFrom === undefined ? empty : sql`and id >= ${firstIdAt("ent", createdFrom.getTime())}`}
        ${createdTo === undefined ? empty : sql`and id < ${firstIdAt("ent", createdTo.getTime())}`}
        ${before === undefined ? empty : sql`and id < ${before}`}
      order by id desc limit ${limit}
    ) e
    join resellers r on r.id = e.reseller_id
    order by e.id desc`);

/**
 * A statement reads one range of one index. The range is a row comparison and the order covers all its columns, so
 * no other index qualifies and a page costs the same at any depth. Otherwise PostgreSQL reads the newest entries and
 * filters, which is slow for matches far back.
 */
function entriesOf(tenant: Tenant, selection: EntrySelection): Sql {
  const { orderId, type, limit } = selection;
  const bySequence = sql`reseller_id, environment, sequence`;
  if (orderId !== undefined) {
    const ofType = type === undefined ? empty : sql`and type = ${type}`;
    return sql`(
      with of_order as materialized (${entriesOfOrder(orderId)})
      select * from of_order
      where ${range(bySequence, tenant, [], selection)} ${ofType}
    )`;
  }
  if (type !== undefined && type !== "order") {
    const byType = sql`reseller_id, environment, type, sequence`;
    return sql`(
      select * from ledger_entries where type <> 'order' and ${range(byType, tenant, [type], selection)}
      order by reseller_id desc, environment desc, type desc, sequence desc limit ${limit}
    )`;
  }
  // Most entries belong to orders, so a scan for orders skips few rows.
  const onlyOrders = type === "order" ? sql`and type = 'order'` : empty;
  return sql`(
    select * from ledger_entries where ${range(bySequence, tenant, [], selection)} ${onlyOrders}
    order by reseller_id desc, environment desc, sequence desc limit ${limit}
  )`;
}

/** An order has one debit and few refunds. Each of the two has an index by order. */
const entriesOfOrder = (orderId: string): Sql => sql`
  select * from ledger_entries where type = 'order' and order_id = ${orderId}
  union all
  select * from ledger_entries where type = 'refund' and order_id = ${orderId}`;

function range(columns: Sql, tenant: Tenant, values: readonly string[], selection: EntrySelection): Sql {
  const { createdFrom, createdTo, before = NO_SEQUENCE } = selection;
  const first = createdFrom === undefined ? sql`0` : firstSequenceAt(tenant, createdFrom);
  const end =
    createdTo === undefined ? sql`${before}` : sql`least(${before}, ${firstSequenceAt(tenant, createdTo)})`;
  const rowWith = (sequence: Sql) =>
    sql`(${join([tenant.resellerId, tenant.environment, ...values, sequence])})`;
  return sql`(${columns}) >= ${rowWith(first)} and (${columns}) < ${rowWith(end)}`;
}

/** Greater than every sequence. */
const NO_SEQUENCE = 2n ** 63n - 1n;

/**
 * The first entry at or after a time. The sequence is dense and time never goes backwards within a wallet, so a
 * binary search finds it with about twenty primary-key lookups, without an index by time.
 */
export const firstSequenceAt = (tenant: Tenant, time: Date | Sql): Sql => sql`
  coalesce((
    with recursive halving (low, high) as (
      select 1::bigint, w.sequence + 1 from wallets w
      where w.reseller_id = ${tenant.resellerId} and w.environment = ${tenant.environment}
      union all
      select
        case when middle.created_at < ${time} then middle.sequence + 1 else low end,
        case when middle.created_at < ${time} then high else middle.sequence end
      from halving
      cross join lateral (
        select e.sequence, e.created_at from ledger_entries e
        where e.reseller_id = ${tenant.resellerId} and e.environment = ${tenant.environment}
          and e.sequence = (low + high) / 2
      ) middle
      where low < high
    )
    select low from halving where low = high
  ), ${NO_SEQUENCE})`;
