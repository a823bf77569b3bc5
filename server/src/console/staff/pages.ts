import { peoplePages } from "../../access/people/pages.ts";
import type { AccessDeps } from "../../access/site.ts";
import type { StaffPermission } from "../../accounts/permissions.ts";
import type { ConsoleFace } from "../session.ts";

/** The operator's people. Everyone sees them; admins invite, change and remove them. */
export const staffPages = (face: ConsoleFace, deps: AccessDeps): void =>
  peoplePages<StaffPermission>(face, deps, {
    ...{ path: "/staff", title: "Staff", kind: "staff", read: "staff.read", manage: "staff.manage" },
    roleHints: [
      ["admin", "everything"],
      ["finance", "wallets, deposits, prices, reports, reconciliation"],
      ["support", "orders: retry, hold, refund; reads resellers"],
      ["catalog", "products, stock, suppliers; drafts prices"],
      ["viewer", "reads"],
    ],
  });
