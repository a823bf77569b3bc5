import type { AccountDeps } from "../../server/src/accounts/account-deps.ts";
import type { Team } from "../../server/src/accounts/account-queries.ts";
import { addTotp, confirmTotp } from "../../server/src/accounts/factors/change-totp.ts";
import { acceptInvitation } from "../../server/src/accounts/people/accept-invitation.ts";
import { invitePerson } from "../../server/src/accounts/people/invite-person.ts";
import { createFindSession } from "../../server/src/accounts/sessions/find-session.ts";
import { formToken } from "../../server/src/accounts/sessions/session-id.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { TOKEN_FIELD } from "../../server/src/web/form/hidden-fields.ts";
import { maskToken } from "../../server/src/web/security/form-token.ts";
import { testAccounts } from "../../server/testing/app/test-accounts.ts";
import { codeFor } from "../../server/testing/people/authenticator-app.ts";
import { CONSOLE_COOKIE } from "../../server/testing/people/console-desk.ts";
import { COOKIE_NAME } from "../../server/testing/people/dashboard-visitor.ts";
import { COMMAND, PASSWORD, STAFF_TEAM, tokenOf, VISITOR } from "../../server/testing/people/people-desk.ts";
import { CONSOLE_ORIGIN, DASHBOARD_ORIGIN } from "../../server/testing/processes/whole-server.ts";
import { type Answer, send } from "../call.ts";
import type { World } from "../world.ts";

/** Someone with a browser who is signed in to one of the faces. */
export type Person = { cookie: string; origin: string; cookieName: string };

const accountsOf = ({ db, keyring, secrets }: World): AccountDeps =>
  testAccounts({ db, keyring, secrets, clock: systemClock }, DASHBOARD_ORIGIN);

export async function enterDashboard(world: World, resellerId: string, email: string): Promise<Person> {
  const cookie = await accept(accountsOf(world), { kind: "user", resellerId }, email, "owner");
  return { cookie, origin: DASHBOARD_ORIGIN, cookieName: COOKIE_NAME };
}

/** With a second factor and fresh proof, which counts for five minutes. */
export async function enterConsole(world: World, email: string): Promise<Person> {
  const accounts = accountsOf(world);
  const cookie = await accept(accounts, STAFF_TEAM, email, "admin");
  const session = await createFindSession(accounts.db, accounts.clock)("console", cookie, VISITOR.address);
  if (!session) throw new Error("the session is not signed in");
  const { secret } = await addTotp(accounts, session);
  await confirmTotp(accounts, session, codeFor(secret.reveal(), accounts.clock.now()), VISITOR.address);
  return { cookie, origin: CONSOLE_ORIGIN, cookieName: CONSOLE_COOKIE };
}

async function accept(accounts: AccountDeps, team: Team, email: string, role: string): Promise<string> {
  const { link } = await invitePerson(accounts, team, { email, role }, COMMAND);
  const input = { token: tokenOf(link), password: PASSWORD };
  return (await acceptInvitation(accounts, input, VISITOR)).cookie.reveal();
}

/** A page, or a form with these fields. Undefined without a response, or while the service is out. */
export async function visit(
  { secrets }: World,
  port: number,
  { cookie, origin, cookieName }: Person,
  path: string,
  fields?: Readonly<Record<string, string>>,
): Promise<Answer | undefined> {
  const headers = {
    host: new URL(origin).host,
    "user-agent": VISITOR.userAgent,
    cookie: `${cookieName}=${cookie}`,
  };
  if (!fields) return ifServed(send(port, "GET", path, headers));
  const token = maskToken(formToken(secrets.accountKey, cookie));
  const body = new URLSearchParams({ [TOKEN_FIELD]: token, ...fields }).toString();
  const form = {
    origin,
    "sec-fetch-site": "same-origin",
    "content-type": "application/x-www-form-urlencoded",
  };
  return ifServed(send(port, "POST", path, { ...headers, ...form }, body));
}

async function ifServed(answering: Promise<Answer>): Promise<Answer | undefined> {
  const answer = await answering.catch(() => undefined);
  return answer?.status === 503 ? undefined : answer;
}
