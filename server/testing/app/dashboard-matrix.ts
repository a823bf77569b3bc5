import { invitePerson } from "../../src/accounts/people/invite-person.ts";
import type { UserRole } from "../../src/accounts/permissions.ts";
import type { openDashboardDesk } from "../builders/dashboard-desk.ts";
import { COMMAND } from "../builders/people-desk.ts";

/** The objects of one reseller that pages are about. A section with objects adds its own here. */
export type DashboardFixtures = { personId: string; keyId: string };

export type MatrixRow = {
  /** Who may: `public` without a session, `all` with any, else the roles. */
  roles: "public" | "all" | readonly UserRole[];
  /** The ids in the address, by their names. Those of another reseller must be 404. */
  ids?: (fixtures: DashboardFixtures) => Readonly<Record<string, string>>;
  /** Fields that the verb refuses or that change nothing that other rows need. */
  fields?: Readonly<Record<string, string>>;
  /** The form ends the session that sends it, so it is not sent for each role. */
  endsSession?: boolean;
};

const OWNER = ["owner"] as const;
const DEVELOPERS = ["owner", "developer"] as const;
const FINANCE = ["owner", "finance"] as const;
const apiKey = ({ keyId }: DashboardFixtures) => ({ id: keyId });
const person = ({ personId }: DashboardFixtures) => ({ id: personId });

/** Every page and form of the dashboard. The test fails for one that is not here. */
export const MATRIX: Readonly<Record<string, MatrixRow>> = {
  // sign-in
  "GET /dashboard/sign-in": { roles: "public" },
  "POST /dashboard/sign-in": { roles: "public" },
  "POST /dashboard/sign-in/passkey-options": { roles: "public" },
  "POST /dashboard/sign-in/passkey": { roles: "public" },
  "POST /dashboard/sign-in/code": { roles: "public" },
  "GET /dashboard/accept": { roles: "public" },
  "POST /dashboard/accept": { roles: "public" },
  "GET /dashboard/reset": { roles: "public" },
  "POST /dashboard/reset": { roles: "public" },
  "POST /dashboard/reset/request": { roles: "public" },
  "GET /dashboard/enter": { roles: "public" },
  "POST /dashboard/theme": { roles: "public" },
  "GET /dashboard/confirm": { roles: "all" },
  "POST /dashboard/confirm": { roles: "all" },
  "POST /dashboard/confirm/passkey-options": { roles: "all" },
  "POST /dashboard/confirm/passkey": { roles: "all" },
  "GET /dashboard/add-factor": { roles: "all" },
  "POST /dashboard/sign-out": { roles: "all", endsSession: true },
  // home
  "GET /dashboard": { roles: "all" },
  // wallet
  "GET /dashboard/wallet": { roles: "all" },
  "GET /dashboard/wallet/statement": { roles: "all" },
  "GET /dashboard/wallet/entries.csv": { roles: FINANCE },
  "GET /dashboard/wallet/statement.csv": { roles: FINANCE },
  // keys
  "GET /dashboard/keys": { roles: "all" },
  "POST /dashboard/keys": { roles: DEVELOPERS },
  "GET /dashboard/keys/:id": { roles: "all", ids: apiKey },
  "POST /dashboard/keys/:id": {
    roles: DEVELOPERS,
    ids: apiKey,
    fields: { name: "shop", scopes: "orders:read" },
  },
  "GET /dashboard/keys/:id/roll": { roles: DEVELOPERS, ids: apiKey },
  "POST /dashboard/keys/:id/roll": { roles: DEVELOPERS, ids: apiKey, fields: { grace: "1" } },
  "GET /dashboard/keys/:id/revoke": { roles: DEVELOPERS, ids: apiKey },
  "POST /dashboard/keys/:id/revoke": { roles: DEVELOPERS, ids: apiKey },
  // security
  "GET /dashboard/security": { roles: "all" },
  "POST /dashboard/security/sessions/end": { roles: "all" },
  "GET /dashboard/security/password": { roles: "all" },
  "POST /dashboard/security/password": { roles: "all" },
  "GET /dashboard/security/totp": { roles: "all" },
  "POST /dashboard/security/totp": { roles: "all" },
  "POST /dashboard/security/totp/confirm": { roles: "all" },
  "POST /dashboard/security/totp/remove": { roles: "all" },
  "POST /dashboard/security/recovery-codes": { roles: "all" },
  "GET /dashboard/security/passkey": { roles: "all" },
  "POST /dashboard/security/passkey/options": { roles: "all" },
  "POST /dashboard/security/passkey": { roles: "all" },
  "POST /dashboard/security/passkey/remove": { roles: "all" },
  // team
  "GET /dashboard/team": { roles: "all" },
  "POST /dashboard/team": { roles: OWNER },
  "POST /dashboard/team/require-factor": { roles: OWNER },
  "GET /dashboard/team/:id": { roles: OWNER, ids: person },
  "POST /dashboard/team/:id/role": { roles: OWNER, ids: person, fields: { role: "viewer" } },
  "POST /dashboard/team/:id/reset-factor": { roles: OWNER, ids: person },
  "POST /dashboard/team/:id/invite": { roles: OWNER, ids: person },
  "POST /dashboard/team/:id/remove": { roles: OWNER, ids: person },
  // settings
  "GET /dashboard/settings": { roles: OWNER },
  "POST /dashboard/settings": { roles: OWNER },
  // activity
  "GET /dashboard/activity": { roles: "all" },
  "GET /dashboard/activity.csv": { roles: "all" },
};

type Desk = Awaited<ReturnType<typeof openDashboardDesk>>;

/** Makes the objects of a reseller, each by its verb. */
export async function makeFixtures(desk: Desk, resellerId: string): Promise<DashboardFixtures> {
  const input = { email: "invited@corner.example", role: "viewer" };
  const invited = await invitePerson(desk.accounts, { kind: "user", resellerId }, input, COMMAND);
  return { personId: invited.id, keyId: (await desk.addKey(resellerId)).id };
}
