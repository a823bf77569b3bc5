import type { LightMyRequestResponse } from "fastify";
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

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** Someone who is signed in to the dashboard of a test app. */
export type Visit = {
  accountId: string;
  cookie: string;
  get(url: string): Promise<LightMyRequestResponse>;
  /** Sends a form as a browser does, with the session's token and a form id. */
  post(url: string, fields?: Fields): Promise<LightMyRequestResponse>;
};

const ORIGIN = "https://api.scrip.example";
const COOKIE_NAME = "__Host-scrip";

export async function visitDashboard(scrip: TestApp, resellerId: string, role: UserRole): Promise<Visit> {
  const deps = testAccounts(scrip);
  const team = { kind: "user", resellerId } as const;
  const email = `${newId("usr")}@corner.example`;
  const { id, link } = await invitePerson(deps, team, { email, role }, COMMAND);
  const started = await acceptInvitation(deps, { token: tokenOf(link), password: PASSWORD }, VISITOR);
  const cookie = started.cookie.reveal();
  const headers = { cookie: `${COOKIE_NAME}=${cookie}`, host: new URL(ORIGIN).host };
  return {
    accountId: id,
    cookie,
    get: (url) => scrip.app.inject({ url, headers }),
    post: (url, fields = {}) =>
      scrip.app.inject({
        method: "POST",
        url,
        headers: {
          ...headers,
          origin: ORIGIN,
          "sec-fetch-site": "same-origin",
          "content-type": "application/x-www-form-urlencoded",
        },
        payload: encode({
          ...fields,
          [TOKEN_FIELD]: maskToken(formToken(scrip.secrets.accountKey, cookie)),
          [FORM_ID_FIELD]: newFormId(),
        }),
      }),
  };
}

function encode(fields: Fields): string {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const one of typeof value === "string" ? [value] : value) body.append(name, one);
  return body.toString();
}
