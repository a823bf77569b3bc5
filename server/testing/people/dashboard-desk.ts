import type { LightMyRequestResponse } from "fastify";
import type { AccountDeps, Visitor } from "../../src/accounts/account-deps.ts";
import { acceptInvitation } from "../../src/accounts/people/accept-invitation.ts";
import { invitePerson } from "../../src/accounts/people/invite-person.ts";
import type { UserRole } from "../../src/accounts/permissions.ts";
import { formToken } from "../../src/accounts/sessions/session-id.ts";
import { newFormId } from "../../src/web/form/hidden-fields.ts";
import { maskToken } from "../../src/web/security/form-token.ts";
import { testAccounts } from "../app/test-accounts.ts";
import { createTestApp, type TestAppOptions } from "../app/test-app.ts";
import { createHandClock } from "../hand-clock.ts";
import { COMMAND, PASSWORD, tokenOf } from "./people-desk.ts";

export const ORIGIN = "https://api.scrip.example";
export const COOKIE_NAME = "__Host-scrip";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** Someone with a browser. The cookie follows what the server sets. */
export type Visiting = { cookie: string; address?: string };
export type SignedIn = Visiting & { id: string; email: string; resellerId: string };

/** The real app with its dashboard, a clock that is moved by hand, and people who are signed in. */
export async function openDashboardDesk(options: TestAppOptions = {}) {
  const clock = createHandClock(new Date("2030-01-01T00:00:00Z"));
  const scrip = await createTestApp({ clock, ...options });
  const accounts: AccountDeps = testAccounts(scrip, options.url);
  const visitor: Visitor = { address: "127.0.0.1", userAgent: FIREFOX };
  let people = 0;

  const send = async (person: Visiting, url: string, fields?: Record<string, string | string[]>) => {
    const reply = await scrip.app.inject({
      method: fields ? "POST" : "GET",
      url,
      ...(person.address === undefined ? {} : { remoteAddress: person.address }),
      headers: {
        "user-agent": FIREFOX,
        ...(person.cookie === "" ? {} : { cookie: `${COOKIE_NAME}=${person.cookie}` }),
        ...(fields ? { origin: ORIGIN, "content-type": "application/x-www-form-urlencoded" } : {}),
      },
      ...(fields ? { payload: bodyOf(tokenFor(person), fields) } : {}),
    });
    const cookie = cookieOf(reply);
    if (cookie !== undefined) person.cookie = cookie;
    return reply;
  };

  const tokenFor = ({ cookie }: Visiting): string =>
    cookie === "" ? "" : formToken(scrip.secrets.accountKey, cookie);

  return {
    ...scrip,
    clock,
    accounts,
    visitor,
    get: (person: Visiting, url: string) => send(person, url),
    /** Sends a form as a page of the person's session would, with its token and a new form id. */
    post: (person: Visiting, url: string, fields: Record<string, string | string[]> = {}) =>
      send(person, url, fields),
    /** Someone of the reseller who has just signed in. */
    async join(resellerId: string, role: UserRole): Promise<SignedIn> {
      people += 1;
      const email = `${role}${people}@corner.example`;
      const team = { kind: "user", resellerId } as const;
      const { id, link } = await invitePerson(accounts, team, { email, role }, COMMAND);
      const input = { token: tokenOf(link), password: PASSWORD };
      const { cookie } = await acceptInvitation(accounts, input, visitor);
      return { id, email, resellerId, cookie: cookie.reveal() };
    },
  };
}

function bodyOf(token: string, fields: Record<string, string | string[]>): string {
  const body = new URLSearchParams({ _token: token && maskToken(token), _form: newFormId() });
  for (const [name, value] of Object.entries(fields))
    for (const [index, one] of [value].flat().entries())
      if (index === 0) body.set(name, one);
      else body.append(name, one);
  return body.toString();
}

/** What the answer sets the session's cookie to; empty when it is taken away. */
export function cookieOf(reply: LightMyRequestResponse): string | undefined {
  const set = [reply.headers["set-cookie"] ?? []].flat().find((text) => text.startsWith(`${COOKIE_NAME}=`));
  return set && /=([^;]*)/.exec(set)?.[1];
}

export const locationOf = ({ headers }: LightMyRequestResponse): string => String(headers.location ?? "");
