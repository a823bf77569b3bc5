import { lockStaff } from "../../accounts/people/lock-staff.ts";
import { Refusal } from "../../accounts/refusal.ts";
import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { idsOf } from "../../lib/ids.ts";
import { formatAmount } from "../../lib/money.ts";
import { assertPlainText } from "../../lib/plain-text.ts";
import { writeApprovedNote } from "../approved-note.ts";
import { bookMovement, type MovedFunds } from "../book-movement.ts";
import { lockWallet } from "../queries.ts";
import { noProposal, type Proposal, type ProposalState, toProposal } from "./proposal.ts";
import { lockProposal, markDecided, type StoredState } from "./proposal-queries.ts";
import { refuseAt, refusing } from "./request-movement.ts";

type Deps = { db: Db; clock: Clock };

/**
 * What the approval of a proposal for a deposit does besides: it locks the deposit before the people and the wallet, and returns what
 * is written once the money has moved.
 */
export type OpenDeposit = (
  tx: Tx,
  proposal: Proposal & { depositId: string },
) => Promise<(moved: MovedFunds, by: By) => Promise<void>>;

const REASON_MAX_CHARACTERS = 500;

/**
 * Moves the money of a proposal, once. The proposal, its deposit, both people and the wallet are locked in this order: a decision of another
 * person, a removal from the staff and an order of the reseller each come before it or after it. Both people are in the
 * ledger's note, for the operator alone, and in the log.
 */
export async function approveProposal(
  { db, clock, openDeposit }: Deps & { openDeposit?: OpenDeposit },
  id: string,
  by: By,
): Promise<{ proposal: Proposal; moved: MovedFunds }> {
  return db.transaction(async (tx) => {
    const proposal = await lockWaiting(tx, clock, id);
    const { proposedBy, direction, amountMinor, currency, depositId } = proposal;
    const approvedBy = by.actor.id;
    if (approvedBy === proposedBy)
      throw new Refusal("own_proposal", "You proposed this. Another person has to approve it.");
    if (depositId !== null && !openDeposit) throw new Error("nobody ends the deposit of this proposal");
    const settleDeposit =
      depositId === null ? undefined : await openDeposit?.(tx, { ...proposal, depositId });
    await lockStaff(tx, [proposedBy, approvedBy], "wallets.manage", (gone) =>
      gone === approvedBy
        ? new Refusal("not_permitted", "Your role does not allow this.")
        : new Refusal(
            "proposal_closed",
            "The person who proposed this can no longer move money. Propose it again.",
          ),
    );
    const head = await lockWallet(tx, proposal);
    if (!head || head.currency !== currency) throw new Error("a proposal without its wallet");
    const entryId = idsOf(clock)("ent");
    const note = writeApprovedNote(proposal.note, proposedBy, approvedBy);
    const moved = await refusing(() =>
      bookMovement(tx, clock, head, {
        ...{ entryId, direction, amountMinor, note, by },
        depositId: depositId ?? undefined,
      }),
    );
    await settleDeposit?.(moved, by);
    const decided = await decide(tx, clock, proposal, { state: "approved", by, entryId });
    return { proposal: decided, moved };
  });
}

/** Another person says no. The money stays where it is. */
export async function rejectProposal(
  { db, clock }: Deps,
  id: string,
  reason: string,
  by: By,
): Promise<Proposal> {
  const why = readReason(reason);
  return db.transaction(async (tx) => {
    const proposal = await lockWaiting(tx, clock, id);
    if (by.actor.id === proposal.proposedBy)
      throw new Refusal("own_proposal", "You proposed this. Withdraw it instead.");
    await lockStaff(tx, [by.actor.id], "wallets.manage");
    return decide(tx, clock, proposal, { state: "rejected", by, reason: why });
  });
}

/** The person who proposed it takes it back. */
export async function withdrawProposal({ db, clock }: Deps, id: string, by: By): Promise<Proposal> {
  return db.transaction(async (tx) => {
    const proposal = await lockWaiting(tx, clock, id);
    if (by.actor.id !== proposal.proposedBy)
      throw new Refusal("own_proposal", "Only the person who proposed this can withdraw it.");
    await lockStaff(tx, [by.actor.id], "wallets.manage");
    return decide(tx, clock, proposal, { state: "withdrawn", by });
  });
}

/** Of two people who decide at once, the second is told what the first has decided. */
async function lockWaiting(tx: Tx, clock: Clock, id: string): Promise<Proposal> {
  const row = await lockProposal(tx, id);
  if (!row) throw noProposal();
  const proposal = toProposal(row, clock.now());
  if (proposal.state !== "waiting") throw new Refusal("proposal_closed", CLOSED[proposal.state]);
  return proposal;
}

const CLOSED: Readonly<Record<Exclude<ProposalState, "waiting">, string>> = {
  approved: "This was approved already. The money has moved once.",
  rejected: "This was rejected already. No money has moved.",
  withdrawn: "This was withdrawn. No money has moved.",
  expired: "This has expired. No money has moved. Propose it again.",
};

type Decided = {
  state: Exclude<StoredState, "waiting">;
  by: By;
  reason?: string;
  entryId?: string;
};

async function decide(
  tx: Tx,
  clock: Clock,
  proposal: Proposal,
  { state, by, reason, entryId }: Decided,
): Promise<Proposal> {
  const now = clock.now();
  const { id, environment, resellerId, direction, amountMinor, currency, proposedBy } = proposal;
  const decision = { state, by: by.actor.id, at: now, reason: reason ?? null, entryId: entryId ?? null };
  const row = await markDecided(tx, id, decision);
  if (!row) throw new Error("a locked proposal was decided by another transaction");
  await recordActivity(tx, clock, {
    ...by,
    action: `movement.${state}`,
    object: { kind: "proposal", id },
    environment,
    before: { proposedBy },
    after: {
      ...{ reseller: resellerId, direction, amount: `${formatAmount(amountMinor, currency)} ${currency}` },
      ...(entryId === undefined ? {} : { entryId }),
      ...(reason === undefined ? {} : { reason }),
    },
  });
  return toProposal(row, now);
}

function readReason(text: string): string {
  const reason = text.trim();
  if (reason === "" || reason.length > REASON_MAX_CHARACTERS)
    throw new Refusal("reason_needed", `Say why, in 1 to ${REASON_MAX_CHARACTERS} characters.`, "reason");
  refuseAt("reason", () => assertPlainText("a reason", reason));
  return reason;
}
