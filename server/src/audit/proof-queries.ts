import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";
import { firstIdAt } from "../lib/ids.ts";
import type { Extent } from "./extent.ts";
import { invariantsDigest } from "./invariants.ts";

export type Proof = { id: bigint; provedAt: Date; settledBefore: Date; revealId: bigint };

/**
 * The newest proof that belongs to a result. One that does not was left by a run that was interrupted. None is continued after a
 * broken run that it did not know: what that run found can be behind it. None is continued either if the invariants have changed. Its marks stay, as evidence.
 */
export const findProof = async (db: Queryable): Promise<Proof | undefined> => {
  const [proof] = await db.rows<Proof>(sql`
    select id, proved_at as "provedAt", settled_before as "settledBefore", reveal_id as "revealId"
    from audit_proofs p
    where run_id is not null and invariants_digest = ${invariantsDigest}
      and not exists (select from audit_runs where not ok and id > p.broken_run_id)
    order by proved_at desc, id desc limit 1`);
  return proof;
};

/**
 * Entries are settled with the hour in which the roll-ups counted them. An hour is added for transactions that are under way and for
 * clocks that differ.
 */
const MARGIN = sql`interval '1 hour'`;

/** The beginning of the day of the oldest thing that the roll-ups have not counted yet, or else of today. */
export const findSettledBefore = async (tx: Tx): Promise<Date> => {
  const [row] = await tx.rows<{ at: Date }>(sql`
    select date_trunc('day', least(now(), (
      select min(e.created_at) from wallets w
      left join report_wallets r on r.reseller_id = w.reseller_id and r.environment = w.environment
      join ledger_entries e on e.reseller_id = w.reseller_id and e.environment = w.environment
        and e.sequence = coalesce(r.sequence, 0) + 1
    ), (
      select min(o.ended_at) from report_changes c join orders o on o.id = c.order_id
    )) - ${MARGIN}, 'UTC') as at`);
  return row?.at ?? new Date(0);
};

/** Writes what the extent's audit has proved. It counts only once `adoptProof` has given it to a result. */
export async function insertProof(
  tx: Tx,
  extent: Extent,
  continued: Proof | undefined,
  settledBefore: Date,
): Promise<bigint> {
  const [proof] = await tx.rows<{ id: bigint }>(sql`
    insert into audit_proofs (proved_at, settled_before, continued_id, invariants_digest, broken_run_id, reveal_id,
                              marks_digest)
    values (now(), ${settledBefore}, ${continued?.id ?? null}, ${invariantsDigest}, (
      select coalesce(max(id), 0) from audit_runs where not ok), greatest(${continued?.revealId ?? 0n}::bigint, (
      select coalesce(max(id), 0) from ${extent.reveals} r where revealed_at < ${settledBefore})), sha256(''))
    returning id`);
  const id = proof?.id ?? 0n;
  await tx.rows(marks(id, extent, settledBefore));
  await tx.rows(openOrders(id, extent, settledBefore));
  await tx.rows(sql`update audit_proofs set marks_digest = audit_marks_digest(id) where id = ${id}`);
  return id;
}

/** Within a wallet time never runs backwards: the entries since then are its last ones. */
const marks = (id: bigint, extent: Extent, settledBefore: Date): Sql => sql`
  insert into audit_marks (proof_id, reseller_id, environment, currency, sequence, balance_minor, hash, last_entry_at)
  select ${id}, w.reseller_id, w.environment, w.currency, e.sequence, e.balance_after_minor, e.hash, e.created_at
  from wallets w
  left join (
    select reseller_id, environment, min(sequence) as first from ${extent.entries} e
    where created_at >= ${settledBefore} group by reseller_id, environment
  ) later on later.reseller_id = w.reseller_id and later.environment = w.environment
  join ledger_entries e on e.reseller_id = w.reseller_id and e.environment = w.environment
    and e.sequence = coalesce(later.first - 1, w.sequence)`;

/** Younger ones are found by their ids. */
const openOrders = (id: bigint, extent: Extent, settledBefore: Date): Sql => sql`
  insert into audit_open_orders (proof_id, order_id)
  select ${id}, order_id from (
    select o.id as order_id from ${extent.orders} o
    where o.status in ('pending', 'processing', 'failed') or o.ended_at >= ${settledBefore}
    union
    select a.order_id from ${extent.attempts} a
    where a.status = 'open' or (a.written_off_at is not null and a.resolved_at >= ${settledBefore})
  ) unsettled
  where order_id < ${firstIdAt("ord", settledBefore.getTime())}`;

/** Gives a proof to its result and removes those that are older. One with a later snapshot is kept, even if it was adopted first. */
export async function adoptProof(tx: Tx, proofId: bigint, runId: bigint): Promise<void> {
  await tx.rows(sql`select pg_advisory_xact_lock(hashtext('scrip: proofs of the audit'))`);
  await tx.rows(sql`update audit_proofs set run_id = ${runId} where id = ${proofId}`);
  await tx.rows(sql`
    delete from audit_proofs p
    using (select id, proved_at from audit_proofs where run_id is not null order by proved_at desc, id desc limit 1) newest
    where (p.proved_at, p.id) < (newest.proved_at, newest.id)`);
}
