import { randomBytes } from "node:crypto";
import type { AccountDeps } from "../accounts/account-deps.ts";
import type { Team } from "../accounts/account-queries.ts";
import { addTotp, confirmTotp } from "../accounts/factors/change-totp.ts";
import { codeAt, fromBase32, stepAt } from "../accounts/factors/totp.ts";
import { acceptInvitation } from "../accounts/people/accept-invitation.ts";
import { invitePerson } from "../accounts/people/invite-person.ts";
import { listAllUsers, listPeople } from "../accounts/people/list-people.ts";
import { makeEntry } from "../accounts/people/open-entry.ts";
import { signOut } from "../accounts/sessions/end-session.ts";
import { createFindSession } from "../accounts/sessions/find-session.ts";
import { DEMO_EMAIL, DEMO_STAFF_EMAIL } from "../admin/fill-demo.ts";
import { listResellerRows } from "../resellers/queries.ts";
import { openAccounts } from "./open-accounts.ts";
import type { Context } from "./open-context.ts";

/** The way into a face of the demo. The proofs are known only when the account was made by this start. */
export type DemoEntry = { face: "Dashboard" | "Console"; email: string; link: string } & DemoProofs;
type DemoProofs = { password?: string; totpKey?: string };
type NewPerson = { id: string; email: string; password: string };

const PASSWORD_BYTES = 12;
/** The demo has few people; its own is the first. */
const USERS_MAX = 100;
const VISITOR = { address: "127.0.0.1", userAgent: "scrip demo" };

/** A link that signs in once, for the owner of the demo's first reseller. The account is made when it is missing. */
export async function openDashboardEntry(context: Context, address: string): Promise<DemoEntry | undefined> {
  const accounts = openAccounts(context);
  const deps: AccountDeps = { ...accounts, urls: { ...accounts.urls, dashboard: address } };
  // By its address: in a database that is not the demo's nobody gets such a link.
  const present = (await listAllUsers(context.db, USERS_MAX)).find(
    ({ email, state }) => email === DEMO_EMAIL && state === "active",
  );
  if (present) return entryOf(deps, "Dashboard", present, {});
  const reseller = await findDemoReseller(context);
  if (!reseller) return undefined;
  const input = { email: DEMO_EMAIL, role: "owner", name: "Demo Owner" };
  const { person, session } = await addPerson(deps, { kind: "user", resellerId: reseller.id }, input);
  await signOut(deps, session);
  return entryOf(deps, "Dashboard", person, { password: person.password });
}

/**
 * The same for the console. Staff need a second factor, so the account is made with one; otherwise the link would lead to
 * nothing but the page that asks for it. Only where there is no staff yet.
 */
export async function openConsoleEntry(context: Context): Promise<DemoEntry | undefined> {
  const deps = openAccounts(context);
  const staff = await listPeople(context.db, { kind: "staff" });
  const present = staff.find(({ email, state }) => email === DEMO_STAFF_EMAIL && state === "active");
  if (present) return entryOf(deps, "Console", present, {});
  if (staff.length > 0 || !(await findDemoReseller(context))) return undefined;
  const input = { email: DEMO_STAFF_EMAIL, role: "admin", name: "Demo Admin" };
  const { person, session } = await addPerson(deps, { kind: "staff" }, input);
  const found = await createFindSession(deps.db, deps.clock)("console", session.cookie, VISITOR.address);
  if (!found) return undefined;
  const { secret } = await addTotp(deps, found);
  const totpKey = secret.reveal();
  await confirmTotp(deps, found, codeAt(fromBase32(totpKey), stepAt(deps.clock.now())), VISITOR.address);
  await signOut(deps, session);
  return entryOf(deps, "Console", person, { password: person.password, totpKey });
}

const findDemoReseller = async ({ db }: Context) =>
  (await listResellerRows(db)).find(({ email }) => email === DEMO_EMAIL);

const entryOf = async (
  deps: AccountDeps,
  face: DemoEntry["face"],
  { id, email }: { id: string; email: string },
  proofs: DemoProofs,
): Promise<DemoEntry> => ({
  face,
  email,
  link: await makeEntry(deps, { id, kind: face === "Console" ? "staff" : "user" }),
  ...proofs,
});

/** With a password, because some changes ask for it when the link was opened more than five minutes ago. */
async function addPerson(
  deps: AccountDeps,
  team: Team,
  input: { email: string; role: string; name: string },
): Promise<{ person: NewPerson; session: { id: string; accountId: string; cookie: string } }> {
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  const { id, email, link } = await invitePerson(deps, team, input, {
    actor: { kind: "command", id: "scrip" },
  });
  const token = new URL(link).searchParams.get("token") ?? "";
  const session = await acceptInvitation(deps, { token, password, name: input.name }, VISITOR);
  return { person: { id, email, password }, session: { ...session, cookie: session.cookie.reveal() } };
}

/** For people at a terminal: the link, and how to come in later. */
export const describeEntry = ({ face, email, link, password, totpKey }: DemoEntry): string => `
  ${face}, signed in (opens once, within 15 minutes, on this machine):

    ${link}

  Sign in later as ${email}${password === undefined ? "" : `, password ${password}`}${
    totpKey === undefined ? "" : `,\n  with this key in an authenticator app: ${totpKey}`
  }
`;
