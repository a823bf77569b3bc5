import { Refusal } from "../../accounts/refusal.ts";
import type { Queryable } from "../../db/database.ts";
import {
  findProposal,
  listClosedRows,
  listWaitingRows,
  type ProposalRow,
  type StoredState,
} from "./proposal-queries.ts";

export type ProposalState = StoredState | "expired";
/** A movement that waits for a second person, or did. */
export type Proposal = Omit<ProposalRow, "state"> & { state: ProposalState };

export const PROPOSAL_LIFE_MS = 7 * 24 * 60 * 60 * 1_000;
const WAITING_SHOWN_MAX = 200;

/** Nothing runs when a proposal expires: its time has passed, and no verb decides it any more. */
export const toProposal = (row: ProposalRow, now: Date): Proposal => ({
  ...row,
  state: row.state === "waiting" && row.expiresAt <= now ? "expired" : row.state,
});

export async function getProposal(db: Queryable, id: string, now: Date): Promise<Proposal> {
  const row = await findProposal(db, id);
  if (!row) throw noProposal();
  return toProposal(row, now);
}

export const noProposal = (): Refusal => new Refusal("not_found", "There is no such proposal.");

/** Those that a second person can approve now, the one that expires first at the top. */
export const listWaiting = async (db: Queryable, now: Date): Promise<Proposal[]> =>
  (await listWaitingRows(db, now, WAITING_SHOWN_MAX)).map((row) => toProposal(row, now));

/** Those that are decided or expired, newest first. `after` is the last id of the page before. */
export async function listClosed(
  db: Queryable,
  now: Date,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<{ data: Proposal[]; nextAfter: string | undefined }> {
  const rows = await listClosedRows(db, now, after, limit + 1);
  const data = rows.slice(0, limit).map((row) => toProposal(row, now));
  return { data, nextAfter: rows.length > limit ? data.at(-1)?.id : undefined };
}
