import { randomBytes } from "node:crypto";
import type { AccountDeps } from "../accounts/account-deps.ts";
import { acceptInvitation } from "../accounts/people/accept-invitation.ts";
import { invitePerson } from "../accounts/people/invite-person.ts";
import { listAllUsers } from "../accounts/people/list-people.ts";
import { makeEntry } from "../accounts/people/open-entry.ts";
import { signOut } from "../accounts/sessions/end-session.ts";
import { DEMO_EMAIL } from "../admin/fill-demo.ts";
import { listResellerRows } from "../resellers/queries.ts";
import { openAccounts } from "./open-accounts.ts";
import type { Context } from "./open-context.ts";

/** The way into the demo's dashboard. The password is known only when the account was made by this start. */
export type DemoEntry = { email: string; link: string; password: string | undefined };

const PASSWORD_BYTES = 12;
/** The demo has few people; its own is the first. */
const USERS_MAX = 100;

/** A link that signs in once, for the owner of the demo's first reseller. The account is made when it is missing. */
export async function openDemoEntry(context: Context, address: string): Promise<DemoEntry | undefined> {
  const accounts = openAccounts(context);
  const deps: AccountDeps = { ...accounts, urls: { ...accounts.urls, dashboard: address } };
  // By its address: in a database that is not the demo's nobody gets such a link.
  const present = (await listAllUsers(context.db, USERS_MAX)).find(
    ({ email, state }) => email === DEMO_EMAIL && state === "active",
  );
  const reseller = (await listResellerRows(context.db)).find(({ email }) => email === DEMO_EMAIL);
  const owner = present ?? (reseller && (await addOwner(deps, reseller)));
  if (!owner) return undefined;
  const password = "password" in owner ? owner.password : undefined;
  return { email: owner.email, link: await makeEntry(deps, { id: owner.id, kind: "user" }), password };
}

/** With a password, because some changes ask for it when the link was opened more than five minutes ago. */
async function addOwner(
  deps: AccountDeps,
  reseller: { id: string; email: string },
): Promise<{ id: string; email: string; password: string }> {
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  const { id, email, link } = await invitePerson(
    deps,
    { kind: "user", resellerId: reseller.id },
    { email: reseller.email, role: "owner", name: "Demo Owner" },
    { actor: { kind: "command", id: "scrip" } },
  );
  const token = new URL(link).searchParams.get("token") ?? "";
  const visitor = { address: "127.0.0.1", userAgent: "scrip demo" };
  await signOut(deps, await acceptInvitation(deps, { token, password, name: "Demo Owner" }, visitor));
  return { id, email, password };
}

/** For people at a terminal: the link, and how to come in later. */
export const describeEntry = ({ email, link, password }: DemoEntry): string => `
  Dashboard, signed in (opens once, within 15 minutes, on this machine):

    ${link}

  Sign in later as ${email}${password === undefined ? "" : `, password ${password}`}
`;
