import type { By } from "../../activity/record-activity.ts";
import { recordActivity } from "../../activity/record-activity.ts";
import type { AccountDeps } from "../account-deps.ts";
import { resellerOf } from "../account-queries.ts";
import { Refusal } from "../refusal.ts";
import type { Session } from "./find-session.ts";
import { sessionBounds } from "./session-life.ts";
import { listSessionRows, markSessionsEnded } from "./session-queries.ts";

export type ListedSession = {
  id: string;
  isCurrent: boolean;
  device: string;
  address: string;
  createdAt: Date;
  lastSeenAt: Date;
};

/** Where the person of this session is signed in, last used first. */
export async function listSessions(
  deps: Pick<AccountDeps, "db" | "clock">,
  session: Session,
): Promise<ListedSession[]> {
  const rows = await listSessionRows(deps.db, session.accountId, sessionBounds(deps.clock.now()));
  return rows.map(({ face: _face, ...row }) => ({ ...row, isCurrent: row.id === session.id }));
}

/** When this has returned, no request that begins later is accepted with the session, on any node. */
export async function signOut(
  deps: Pick<AccountDeps, "db" | "clock">,
  session: Pick<Session, "id" | "accountId">,
): Promise<void> {
  await markSessionsEnded(deps.db, session.accountId, { only: session.id }, deps.clock.now());
}

/** Ends one session of one's own, here or elsewhere. */
export async function endSession(
  deps: Pick<AccountDeps, "db" | "clock">,
  session: Session,
  id: string,
  by: Pick<By, "address">,
): Promise<void> {
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    const ended = id.includes("\0") ? [] : await markSessionsEnded(tx, session.accountId, { only: id }, now);
    if (ended.length === 0) throw new Refusal("not_found", "This session has ended already.");
    await recordActivity(tx, deps.clock, {
      actor: { kind: session.kind, id: session.accountId },
      address: by.address,
      action: "session.ended",
      object: { kind: "session", id },
      resellerId: resellerOf(session.team),
    });
  });
}
