import { createSecretKey, randomBytes } from "node:crypto";
import type { AccountDeps, Visitor } from "../../src/accounts/account-deps.ts";
import type { Team } from "../../src/accounts/account-queries.ts";
import { createPasswordHashing } from "../../src/accounts/passwords/password-hashing.ts";
import { acceptInvitation } from "../../src/accounts/people/accept-invitation.ts";
import { invitePerson } from "../../src/accounts/people/invite-person.ts";
import { faceOf } from "../../src/accounts/permissions.ts";
import { createFindSession, type Session } from "../../src/accounts/sessions/find-session.ts";
import type { StartedSession } from "../../src/accounts/sessions/start-session.ts";
import { listActivity } from "../../src/activity/list-activity.ts";
import type { By } from "../../src/activity/record-activity.ts";
import type { Secret } from "../../src/lib/secret.ts";
import { secret } from "../../src/lib/secret.ts";
import { type Letter, queueLetter } from "../../src/mail/queue-letter.ts";
import { createReseller } from "../../src/resellers/create-reseller.ts";
import { fixedKeyring } from "../../src/vault/keyring.ts";
import { createTestDatabase } from "../database/test-database.ts";
import { createHandClock } from "../hand-clock.ts";

export const PASSWORD = "tulip crane lamp";
export const COMMAND: By = { actor: { kind: "command", id: "scrip" } };
export const STAFF_TEAM: Team = { kind: "staff" };
export const VISITOR: Visitor = {
  address: "203.0.113.7",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
};

/** A database with one reseller, cheap hashes, a clock that is moved by hand, and all letters at hand. */
export async function openPeopleDesk() {
  const { db, drop } = await createTestDatabase();
  const clock = createHandClock(new Date("2030-01-01T00:00:00Z"));
  const letters: Letter[] = [];
  const deps: AccountDeps = {
    db,
    clock,
    keyring: fixedKeyring([secret(randomBytes(32))]),
    accountKey: createSecretKey(randomBytes(32)),
    hashing: createPasswordHashing({ memoryKib: 8, passes: 1, parallelism: 1 }),
    queueLetter: async (tx, letter) => {
      letters.push(letter);
      return queueLetter(tx, letter, clock.now());
    },
    urls: { dashboard: "https://api.example", console: "http://localhost:8081" },
  };
  const findSession = createFindSession(db, clock);
  let people = 0;

  const newTeam = async (name = "Corner Shop"): Promise<Team & { kind: "user" }> => {
    const input = { name, currency: "USD", email: "owner@corner.example" };
    return { kind: "user", resellerId: (await createReseller(db, clock, input)).id };
  };

  /** The session of a cookie, as the next request finds it. */
  const find = (team: Team, cookie: Secret<string>): Promise<Session | undefined> =>
    findSession(faceOf(team.kind), cookie.reveal(), VISITOR.address);

  const getSession = async (team: Team, started: Pick<StartedSession, "cookie">): Promise<Session> => {
    const session = await find(team, started.cookie);
    if (!session) throw new Error("the session is not signed in");
    return session;
  };

  /** Someone who was invited and has accepted. */
  const join = async (team: Team, role: string, email = `person${++people}@corner.example`) => {
    const { link, id } = await invitePerson(deps, team, { email, role }, COMMAND);
    const input = { token: tokenOf(link), password: PASSWORD };
    const session = await getSession(team, await acceptInvitation(deps, input, VISITOR));
    return { id, email, session };
  };

  const activity = async (action: string) =>
    (await listActivity(db, { kind: "staff" }, { action }, { limit: 100 })).data;

  return { db, drop, clock, deps, letters, newTeam, join, find, getSession, activity };
}

export const tokenOf = (link: string): string => new URL(link).searchParams.get("token") ?? "";
