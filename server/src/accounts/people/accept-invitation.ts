import { recordActivity } from "../../activity/record-activity.ts";
import type { Tx } from "../../db/database.ts";
import { errorCodeOf } from "../../db/database-errors.ts";
import type { AccountDeps, Visitor } from "../account-deps.ts";
import { type AccountRow, findAccount, markAccepted, resellerOf, teamOf } from "../account-queries.ts";
import { checkPersonName } from "../check-person.ts";
import { lockAccount } from "../factors/factor-queries.ts";
import { checkNewPassword } from "../passwords/password-rules.ts";
import { Refusal } from "../refusal.ts";
import { type StartedSession, startSession } from "../sessions/start-session.ts";
import { readLink, takeLink } from "./account-link.ts";
import { tellOwners } from "./tell-owners.ts";

/** Sets the password of an invited person, uses the link up and signs in. The link stays good when the form is refused. */
export async function acceptInvitation(
  deps: AccountDeps,
  input: { token: string; password: string; name?: string | undefined },
  visitor: Visitor,
): Promise<StartedSession> {
  const invited = await readLink(deps, "invite", input.token);
  const name = checkPersonName(input.name ?? "");
  checkNewPassword(input.password, invited.email);
  const passwordHash = await deps.hashing.hash(input.password);
  try {
    return await deps.db.transaction(async (tx) => {
      const now = deps.clock.now();
      // The account before its links: all who change both lock them in this order.
      await lockAccount(tx, invited.id);
      const id = await takeLink(tx, "invite", input.token, now);
      await markAccepted(tx, id, { name, passwordHash, now });
      const account = await findAccount(tx, id);
      if (!account) throw new Error("an accepted account is missing");
      await tellJoined(deps, tx, account, visitor);
      return startSession(deps, tx, account, visitor);
    });
  } catch (error) {
    throw isEmailTaken(error) ? emailTaken(invited.email) : error;
  }
}

async function tellJoined(deps: AccountDeps, tx: Tx, account: AccountRow, visitor: Visitor): Promise<void> {
  const team = teamOf(account);
  await recordActivity(tx, deps.clock, {
    actor: { kind: account.kind, id: account.id },
    address: visitor.address,
    action: "person.joined",
    object: { kind: "person", id: account.id },
    resellerId: resellerOf(team),
    after: { email: account.email, role: account.role },
  });
  await tellOwners(deps, tx, team, { ...account, change: "joined" });
}

const UNIQUE_VIOLATION = "23505";
const EMAIL_CONSTRAINT = "accounts_email";

const isEmailTaken = (error: unknown): boolean =>
  errorCodeOf(error) === UNIQUE_VIOLATION &&
  error instanceof Error &&
  "constraint" in error &&
  error.constraint === EMAIL_CONSTRAINT;

/** Only the person who holds the invitation learns this, not the one who sent it. */
const emailTaken = (email: string): Refusal =>
  new Refusal(
    "email_taken",
    `${email} already signs in to another team. Ask to be invited with another address.`,
    "email",
  );
