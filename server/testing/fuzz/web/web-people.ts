import { randomBytes } from "node:crypto";
import sql from "sql-template-tag";
import { acceptInvitation } from "../../../src/accounts/people/accept-invitation.ts";
import { invitePerson } from "../../../src/accounts/people/invite-person.ts";
import { type Role, STAFF_ROLES, USER_ROLES } from "../../../src/accounts/permissions.ts";
import { formToken } from "../../../src/accounts/sessions/session-id.ts";
import type { Db } from "../../../src/db/database.ts";
import { loadServerSecrets } from "../../../src/keys/server-secrets.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { secret } from "../../../src/lib/secret.ts";
import { fixedKeyring } from "../../../src/vault/keyring.ts";
import { testAccounts } from "../../app/test-accounts.ts";
import { TEST_MASTER_KEY } from "../../app/test-settings.ts";
import { addAuthenticator } from "../../people/console-desk.ts";
import { COMMAND, PASSWORD, tokenOf, VISITOR } from "../../people/people-desk.ts";

export type WebFace = "dashboard" | "console";
/** Over plain HTTP. */
export const COOKIES = { dashboard: "scrip", console: "scrip-console" } as const;

/** Someone who is signed in. The account and the cookie change when the old ones stop working. */
export type WebPerson = {
  face: WebFace;
  role: Role;
  /** Of the reseller, or `staff`. */
  team: string;
  accountId: string;
  cookie: string;
  /** What the forms of the session carry. */
  token: string;
};

export type WebPeople = {
  everyone: readonly WebPerson[];
  /** A new account in the same role: the old one was removed, changed or signed out. */
  replace(person: WebPerson): Promise<void>;
  /** What the account may do now. Undefined if it is gone. */
  roleOf(person: WebPerson): Promise<string | undefined>;
  /** Fresh proof for all sessions, so that forms which need it are not always refused. */
  refresh(): Promise<void>;
};

const ADDRESS = "127.0.0.1";

/** A person of each role, in both teams of resellers and on the staff. */
export async function createWebPeople(
  db: Db,
  teams: readonly { name: string; resellerId: string }[],
): Promise<WebPeople> {
  const secrets = await loadServerSecrets(db, [secret(TEST_MASTER_KEY)]);
  const keyring = fixedKeyring([secret(TEST_MASTER_KEY)]);
  const accounts = testAccounts({ db, clock: systemClock, keyring, secrets });

  const join = async ({ face, role, team }: Pick<WebPerson, "face" | "role" | "team">) => {
    const resellerId = teams.find(({ name }) => name === team)?.resellerId ?? "";
    const email = `${role}-${randomBytes(6).toString("hex")}@${team}.example`;
    const invited = await invitePerson(
      accounts,
      face === "console" ? { kind: "staff" } : { kind: "user", resellerId },
      { email, role },
      COMMAND,
    );
    const input = { token: tokenOf(invited.link), password: PASSWORD };
    const started = await acceptInvitation(accounts, input, { ...VISITOR, address: ADDRESS });
    const cookie = started.cookie.reveal();
    if (face === "console") await addAuthenticator(accounts, cookie);
    const token = formToken(secrets.accountKey, cookie);
    return { face, role, team, accountId: invited.id, cookie, token };
  };

  const wanted = [
    ...teams.flatMap(({ name }) =>
      USER_ROLES.map((role) => ({ face: "dashboard" as const, role, team: name })),
    ),
    ...STAFF_ROLES.map((role) => ({ face: "console" as const, role, team: "staff" })),
  ];
  const everyone: WebPerson[] = [];
  for (const each of wanted) everyone.push(await join(each));
  return {
    everyone,
    async replace(person) {
      const { accountId } = person;
      // Forms may have said that everyone needs a second factor, and a team has a limit.
      await db.rows(sql`update resellers set factor_required = false where factor_required`);
      Object.assign(person, await join(person));
      await db.rows(
        sql`update accounts set removed_at = now() where id = ${accountId} and removed_at is null`,
      );
      await db.rows(sql`
        update accounts set removed_at = now()
        where email like '%@typed.example' and removed_at is null and accepted_at is null`);
    },
    async roleOf({ accountId }) {
      const rows = await db.rows<{ role: string }>(
        sql`select role from accounts where id = ${accountId} and removed_at is null`,
      );
      return rows[0]?.role;
    },
    async refresh() {
      await db.rows(sql`update sessions set proved_at = now() where ended_at is null`);
    },
  };
}
