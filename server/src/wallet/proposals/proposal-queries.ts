import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Direction } from "../book-movement.ts";

/** `waiting` until it is decided, also past its time: the verbs turn that into `expired`. */
export type StoredState = "waiting" | "approved" | "rejected" | "withdrawn";

export type ProposalRow = Tenant & {
  id: string;
  direction: Direction;
  amountMinor: bigint;
  currency: string;
  note: string;
  proposedBy: string;
  proposedAt: Date;
  expiresAt: Date;
  state: StoredState;
  decidedBy: string | null;
  decidedAt: Date | null;
  reason: string | null;
  entryId: string | null;
  /** The deposit that it credits. */
  depositId: string | null;
};

const proposalColumns = sql`
  id, reseller_id as "resellerId", environment, direction, amount_minor as "amountMinor", currency, note,
  proposed_by as "proposedBy", proposed_at as "proposedAt", expires_at as "expiresAt", state,
  decided_by as "decidedBy", decided_at as "decidedAt", reason, entry_id as "entryId",
  deposit_id as "depositId"`;

export type NewProposal = Omit<ProposalRow, "state" | "decidedBy" | "decidedAt" | "reason" | "entryId">;

export const insertProposal = async (tx: Tx, proposal: NewProposal): Promise<ProposalRow | undefined> => {
  const [row] = await tx.rows<ProposalRow>(sql`
    insert into movement_proposals (id, reseller_id, environment, direction, amount_minor, currency, note, proposed_by,
                                    proposed_at, expires_at, deposit_id)
    values (${proposal.id}, ${proposal.resellerId}, ${proposal.environment}, ${proposal.direction},
            ${proposal.amountMinor}, ${proposal.currency}, ${proposal.note}, ${proposal.proposedBy},
            ${proposal.proposedAt}, ${proposal.expiresAt}, ${proposal.depositId})
    returning ${proposalColumns}`);
  return row;
};

/** Locks the proposal: of two people who decide at once, the second reads what the first has written. */
export const lockProposal = async (tx: Tx, id: string): Promise<ProposalRow | undefined> => {
  const [row] = await tx.rows<ProposalRow>(
    sql`select ${proposalColumns} from movement_proposals where id = ${id} for update`,
  );
  return row;
};

export const findProposal = async (db: Queryable, id: string): Promise<ProposalRow | undefined> => {
  const [row] = await db.rows<ProposalRow>(
    sql`select ${proposalColumns} from movement_proposals where id = ${id}`,
  );
  return row;
};

/** Only a proposal that waits changes. */
export const markDecided = async (
  tx: Tx,
  id: string,
  decision: {
    state: Exclude<StoredState, "waiting">;
    by: string;
    at: Date;
    reason: string | null;
    entryId: string | null;
  },
): Promise<ProposalRow | undefined> => {
  const [row] = await tx.rows<ProposalRow>(sql`
    update movement_proposals
    set state = ${decision.state}, decided_by = ${decision.by}, decided_at = ${decision.at},
        reason = ${decision.reason}, entry_id = ${decision.entryId}
    where id = ${id} and state = 'waiting'
    returning ${proposalColumns}`);
  return row;
};

/** Those that can still be approved, the one that expires first at the top. */
export const listWaitingRows = (db: Queryable, now: Date, limit: number) =>
  db.rows<ProposalRow>(sql`
    select ${proposalColumns} from movement_proposals
    where state = 'waiting' and expires_at > ${now}
    order by expires_at, id limit ${limit}`);

export const countWaitingRows = async (db: Queryable, now: Date, max: number): Promise<number> => {
  const [row] = await db.rows<{ count: number }>(sql`
    select count(*)::integer as count from (
      select from movement_proposals where state = 'waiting' and expires_at > ${now} limit ${max}) waiting`);
  return row?.count ?? 0;
};

/** Those that are decided or expired, newest proposal first. */
export const listClosedRows = (db: Queryable, now: Date, before: string | undefined, limit: number) =>
  db.rows<ProposalRow>(sql`
    select ${proposalColumns} from movement_proposals
    where (state <> 'waiting' or expires_at <= ${now}) and (${before ?? null}::text is null or id < ${before ?? null})
    order by id desc limit ${limit}`);
