import type { LightMyRequestResponse } from "fastify";
import { acceptInvitation } from "../../src/accounts/people/accept-invitation.ts";
import { invitePerson } from "../../src/accounts/people/invite-person.ts";
import { formToken } from "../../src/accounts/sessions/session-id.ts";
import { maskToken } from "../../src/web/security/form-token.ts";
import { testAccounts } from "../app/test-accounts.ts";
import type { TestApp } from "../app/test-app.ts";
import { COMMAND, PASSWORD, tokenOf, VISITOR } from "./people-desk.ts";

/** Someone who is signed in to the dashboard, with fresh proof. */
export type DashboardVisitor = {
  id: string;
  email: string;
  cookie: { name: string; value: string };
  get(url: string): Promise<LightMyRequestResponse>;
  /** Sends a form of the session from a page of ours. */
  post(url: string, fields?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>;
};

const ORIGIN = "https://api.scrip.example";
let people = 0;

export async function signInAs(scrip: TestApp, resellerId: string, role: string): Promise<DashboardVisitor> {
  const accounts = testAccounts(scrip);
  people += 1;
  const email = `${role}${people}@buyer.example`;
  const { id, link } = await invitePerson(accounts, { kind: "user", resellerId }, { email, role }, COMMAND);
  const input = { token: tokenOf(link), password: PASSWORD };
  const started = await acceptInvitation(accounts, input, VISITOR);
  const cookie = { name: "__Host-scrip", value: started.cookie.reveal() };
  const headers = { cookie: `${cookie.name}=${cookie.value}` };
  const token = formToken(scrip.secrets.accountKey, cookie.value);
  return {
    id,
    email,
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
        payload: new URLSearchParams({ ...fields, _token: maskToken(token) }).toString(),
      }),
  };
}
