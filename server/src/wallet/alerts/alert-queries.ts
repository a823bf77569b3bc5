import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";

/** The balance below which the reseller is told; null where there is none. */
export const findAlert = async (db: Queryable, tenant: Tenant): Promise<bigint | null> => {
  const [row] = await db.rows<{ belowMinor: bigint }>(sql`
    select below_minor as "belowMinor" from wallet_alerts
    where reseller_id = ${tenant.resellerId} and environment = ${tenant.environment}`);
  return row?.belowMinor ?? null;
};

/**
 * What is below at this moment is not a fall: only later entries are looked at. A watch that this waits for can have seen entries that this
 * statement does not see yet. They are not looked at again: an entry is told once.
 */
export const saveAlert = (tx: Tx, tenant: Tenant, belowMinor: bigint | null, now: Date) =>
  belowMinor === null
    ? tx.rows(sql`
        delete from wallet_alerts
        where reseller_id = ${tenant.resellerId} and environment = ${tenant.environment}`)
    : tx.rows(sql`
        insert into wallet_alerts as a (reseller_id, environment, below_minor, seen_sequence, changed_at)
        select reseller_id, environment, ${belowMinor}, sequence, ${now} from wallets
        where reseller_id = ${tenant.resellerId} and environment = ${tenant.environment}
        on conflict (reseller_id, environment) do update
          set below_minor = excluded.below_minor, seen_sequence = greatest(a.seen_sequence, excluded.seen_sequence),
              changed_at = excluded.changed_at`);

export type DueAlert = Tenant & {
  belowMinor: bigint;
  seenSequence: bigint;
  balanceMinor: bigint;
  sequence: bigint;
  currency: string;
};

/** A wallet that has moved since it was last looked at. One that another process looks at is skipped. */
export const lockDueAlert = async (tx: Tx): Promise<DueAlert | undefined> => {
  const [row] = await tx.rows<DueAlert>(sql`
    select a.reseller_id as "resellerId", a.environment, a.below_minor as "belowMinor",
           a.seen_sequence as "seenSequence", w.balance_minor as "balanceMinor", w.sequence, w.currency
    from wallet_alerts a join wallets w using (reseller_id, environment)
    where w.sequence > a.seen_sequence
    limit 1
    for update of a skip locked`);
  return row;
};

/** The entry that took a balance below its threshold. */
export type Fall = { id: string; sequence: bigint; at: Date; balanceMinor: bigint };

/** The last entry after the one that was seen, up to `until`, that took the balance from the threshold or above it to below. */
export const findFall = async (
  tx: Tx,
  { resellerId, environment, belowMinor, seenSequence }: DueAlert,
  until: bigint,
): Promise<Fall | undefined> => {
  const [row] = await tx.rows<Fall>(sql`
    select id, sequence, created_at as at, balance_after_minor as "balanceMinor" from ledger_entries
    where reseller_id = ${resellerId} and environment = ${environment}
      and sequence > ${seenSequence} and sequence <= ${until}
      and balance_after_minor < ${belowMinor} and balance_after_minor - amount_minor >= ${belowMinor}
    order by sequence desc limit 1`);
  return row;
};

export const markSeen = (tx: Tx, { resellerId, environment }: Tenant, sequence: bigint) =>
  tx.rows(sql`
    update wallet_alerts set seen_sequence = ${sequence}
    where reseller_id = ${resellerId} and environment = ${environment}`);
