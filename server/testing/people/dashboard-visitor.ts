import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { acceptInvitation } from "../../src/accounts/people/accept-invitation.ts";
import { invitePerson } from "../../src/accounts/people/invite-person.ts";
import type { UserRole } from "../../src/accounts/permissions.ts";
import { formToken } from "../../src/accounts/sessions/session-id.ts";
import { FORM_ID_FIELD, newFormId, TOKEN_FIELD } from "../../src/web/form/hidden-fields.ts";
import { maskToken } from "../../src/web/security/form-token.ts";
import { testAccounts } from "../app/test-accounts.ts";
import type { TestApp } from "../app/test-app.ts";
import { newId } from "../builders/new-id.ts";
import { COMMAND, PASSWORD, tokenOf, VISITOR } from "./people-desk.ts";

export const ORIGIN = "https://api.scrip.example";
export const COOKIE_NAME = "__Host-scrip";

/** Someone with a browser. The cookie follows what the server sets. */
export type Visiting = { cookie: string; address?: string };
export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** Someone who is signed in to the dashboard of a test app, with fresh proof. */
export type DashboardVisitor = Visiting & {
  id: string;
  email: string;
  resellerId: string;
  get(url: string): Promise<LightMyRequestResponse>;
  /** Sends a form as a page of the session does, with its token and a new form id. */
  post(url: string, fields?: Fields): Promise<LightMyRequestResponse>;
};

type Visited = Pick<TestApp, "secrets"> & { app: Pick<FastifyInstance, "inject"> };

export async function signInAs(
  scrip: TestApp,
  resellerId: string,
  role: UserRole,
  email = `${newId("usr")}@corner.example`,
): Promise<DashboardVisitor> {
  const accounts = testAccounts(scrip);
  const { id, link } = await invitePerson(accounts, { kind: "user", resellerId }, { email, role }, COMMAND);
  const input = { token: tokenOf(link), password: PASSWORD };
  const { cookie } = await acceptInvitation(accounts, input, VISITOR);
  const visitor: DashboardVisitor = {
    id,
    email,
    resellerId,
    cookie: cookie.reveal(),
    get: (url) => visit(scrip, visitor, url),
    post: (url, fields = {}) => visit(scrip, visitor, url, fields),
  };
  return visitor;
}

/** One request of a browser: a look at a page, or its form with these fields. */
export async function visit(
  scrip: Visited,
  person: Visiting,
  url: string,
  fields?: Fields,
): Promise<LightMyRequestResponse> {
  const reply = await scrip.app.inject({
    method: fields ? "POST" : "GET",
    url,
    ...(person.address === undefined ? {} : { remoteAddress: person.address }),
    headers: {
      host: new URL(ORIGIN).host,
      "user-agent": VISITOR.userAgent,
      ...(person.cookie === "" ? {} : { cookie: `${COOKIE_NAME}=${person.cookie}` }),
      ...(fields ? FORM_HEADERS : {}),
    },
    ...(fields ? { payload: encode({ ...hiddenFields(scrip, person), ...fields }) } : {}),
  });
  const cookie = cookieOf(reply);
  if (cookie !== undefined) person.cookie = cookie;
  return reply;
}

const FORM_HEADERS = {
  origin: ORIGIN,
  "sec-fetch-site": "same-origin",
  "content-type": "application/x-www-form-urlencoded",
};

const hiddenFields = ({ secrets }: Visited, { cookie }: Visiting): Fields => ({
  [TOKEN_FIELD]: cookie === "" ? "" : maskToken(formToken(secrets.accountKey, cookie)),
  [FORM_ID_FIELD]: newFormId(),
});

function encode(fields: Fields): string {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) body.append(name, one);
  return body.toString();
}

/** What the answer sets the session's cookie to; empty when it is taken away. */
export function cookieOf(reply: LightMyRequestResponse): string | undefined {
  const set = [reply.headers["set-cookie"] ?? []].flat().find((text) => text.startsWith(`${COOKIE_NAME}=`));
  return set && /=([^;]*)/.exec(set)?.[1];
}

export const locationOf = ({ headers }: LightMyRequestResponse): string => String(headers.location ?? "");
