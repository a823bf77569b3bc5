import type { AccountDeps, Visitor } from "../../src/accounts/account-deps.ts";
import type { UserRole } from "../../src/accounts/permissions.ts";
import { testAccounts } from "../app/test-accounts.ts";
import { createTestApp, type TestAppOptions } from "../app/test-app.ts";
import { createHandClock, type HandClock } from "../hand-clock.ts";
import { type Fields, signInAs, type Visiting, visit } from "./dashboard-visitor.ts";
import { VISITOR } from "./people-desk.ts";

export type DeskOptions = Omit<TestAppOptions, "clock"> & { clock?: HandClock };

/** The real app with its dashboard, a clock that is moved by hand, and people who are signed in. */
export async function openDashboardDesk(options: DeskOptions = {}) {
  const { clock = createHandClock(new Date("2030-01-01T00:00:00Z")) } = options;
  const scrip = await createTestApp({ ...options, clock });
  const accounts: AccountDeps = testAccounts(scrip, options.url);
  const visitor: Visitor = { ...VISITOR, address: "127.0.0.1" };
  return {
    ...scrip,
    clock,
    accounts,
    visitor,
    get: (person: Visiting, url: string) => visit(scrip, person, url),
    /** Sends a form as a page of the person's session would, with its token and a new form id. */
    post: (person: Visiting, url: string, fields: Fields = {}) => visit(scrip, person, url, fields),
    /** Someone of the reseller who has just signed in. */
    join: (resellerId: string, role: UserRole, email?: string) => signInAs(scrip, resellerId, role, email),
  };
}
