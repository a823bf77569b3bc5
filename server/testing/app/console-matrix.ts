import { invitePerson } from "../../src/accounts/people/invite-person.ts";
import type { StaffRole } from "../../src/accounts/permissions.ts";
import type { openConsoleDesk } from "../people/console-desk.ts";
import { COMMAND, STAFF_TEAM } from "../people/people-desk.ts";

/** The objects that pages are about. A section with objects adds its own here and makes them in `makeConsoleFixtures`. */
export type ConsoleFixtures = { resellerId: string; personId: string };

export type ConsoleRow = {
  /** Who may: `public` without a session, `all` with any, else the roles. */
  roles: "public" | "all" | readonly StaffRole[];
  /** The ids in the address, by their names. */
  ids?: (fixtures: ConsoleFixtures) => Readonly<Record<string, string>>;
  /** Fields that the verb refuses or that change nothing that other rows need. */
  fields?: Readonly<Record<string, string>>;
  /** The form ends the session that sends it, so it is not sent for each role. */
  endsSession?: boolean;
};

const ADMIN = ["admin"] as const;
const person = ({ personId }: ConsoleFixtures) => ({ id: personId });

/** Every page and form of the console. The test fails for one that is not here. */
export const CONSOLE_MATRIX: Readonly<Record<string, ConsoleRow>> = {
  // sign-in
  "GET /sign-in": { roles: "public" },
  "POST /sign-in": { roles: "public" },
  "POST /sign-in/passkey-options": { roles: "public" },
  "POST /sign-in/passkey": { roles: "public" },
  "POST /sign-in/code": { roles: "public" },
  "GET /accept": { roles: "public" },
  "POST /accept": { roles: "public" },
  "GET /reset": { roles: "public" },
  "POST /reset": { roles: "public" },
  "POST /reset/request": { roles: "public" },
  "GET /enter": { roles: "public" },
  "POST /theme": { roles: "public" },
  "GET /confirm": { roles: "all" },
  "POST /confirm": { roles: "all" },
  "POST /confirm/passkey-options": { roles: "all" },
  "POST /confirm/passkey": { roles: "all" },
  "GET /add-factor": { roles: "all" },
  "POST /sign-out": { roles: "all", endsSession: true },
  // security
  "GET /security": { roles: "all" },
  "POST /security/sessions/end": { roles: "all" },
  "GET /security/password": { roles: "all" },
  "POST /security/password": { roles: "all" },
  "GET /security/totp": { roles: "all" },
  "POST /security/totp": { roles: "all" },
  "POST /security/totp/confirm": { roles: "all" },
  "POST /security/totp/remove": { roles: "all", endsSession: true },
  "POST /security/recovery-codes": { roles: "all" },
  "GET /security/passkey": { roles: "all" },
  "POST /security/passkey/options": { roles: "all" },
  "POST /security/passkey": { roles: "all" },
  "POST /security/passkey/remove": { roles: "all" },
  // overview
  "GET /": { roles: "all" },
  // staff
  "GET /staff": { roles: "all" },
  "POST /staff": { roles: ADMIN },
  "GET /staff/:id": { roles: ADMIN, ids: person },
  "POST /staff/:id/role": { roles: ADMIN, ids: person, fields: { role: "viewer" } },
  "POST /staff/:id/reset-factor": { roles: ADMIN, ids: person },
  "POST /staff/:id/invite": { roles: ADMIN, ids: person },
  "POST /staff/:id/remove": { roles: ADMIN, ids: person },
  // search
  "GET /search": { roles: "all" },
  "POST /search/code": { roles: ["admin", "support"], fields: { code: "NOT-A-CODE" } },
  // system
  "GET /system": { roles: "all" },
  "POST /system/audit": { roles: ADMIN },
  // activity
  "GET /activity": { roles: "all" },
  "GET /activity.csv": { roles: "all" },
};

type Desk = Awaited<ReturnType<typeof openConsoleDesk>>;

/** Makes the objects that the rows are about, each by its verb. */
export async function makeConsoleFixtures(desk: Desk): Promise<ConsoleFixtures> {
  const { id: resellerId } = await desk.addReseller();
  const input = { email: "invited@scrip.example", role: "viewer" };
  const { id: personId } = await invitePerson(desk.accounts, STAFF_TEAM, input, COMMAND);
  return { resellerId, personId };
}
