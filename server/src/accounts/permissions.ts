import { Refusal } from "./refusal.ts";

/** People of a reseller, or of the operator's staff. */
export type AccountKind = "user" | "staff";
/** Users sign in to the dashboard, staff to the console. */
export type Face = "dashboard" | "console";

export const faceOf = (kind: AccountKind): Face => (kind === "user" ? "dashboard" : "console");
export const kindOf = (face: Face): AccountKind => (face === "dashboard" ? "user" : "staff");

export const USER_ROLES = ["owner", "developer", "finance", "support", "viewer"] as const;
export const STAFF_ROLES = ["admin", "finance", "support", "catalog", "viewer"] as const;
export type UserRole = (typeof USER_ROLES)[number];
export type StaffRole = (typeof STAFF_ROLES)[number];
export type Role = UserRole | StaffRole;

/** The role that may do everything. Each team keeps at least one person who has it. */
export const topRole = (kind: AccountKind): Role => (kind === "user" ? "owner" : "admin");

export const rolesOf = (kind: AccountKind): readonly Role[] => (kind === "user" ? USER_ROLES : STAFF_ROLES);

/**
 * Who may do what in the dashboard. Everyone on a team reads everything but codes. This table and STAFF_PERMISSIONS are the only
 * place that says so: pages ask isPermitted.
 */
const USER_PERMISSIONS = {
  "home.read": USER_ROLES,
  "catalog.read": USER_ROLES,
  "orders.read": USER_ROLES,
  "orders.test": ["owner", "developer"],
  "codes.reveal": ["owner", "support"],
  "wallet.read": USER_ROLES,
  "wallet.deposit": ["owner", "finance"],
  "wallet.export": ["owner", "finance"],
  "wallet.alert": ["owner", "finance"],
  "encryption.manage": ["owner"],
  "keys.read": USER_ROLES,
  "keys.manage": ["owner", "developer"],
  "webhooks.read": USER_ROLES,
  "webhooks.manage": ["owner", "developer"],
  "requests.read": USER_ROLES,
  "events.read": USER_ROLES,
  "people.read": USER_ROLES,
  "people.manage": ["owner"],
  "settings.manage": ["owner"],
  "activity.read": USER_ROLES,
} as const satisfies Record<string, readonly UserRole[]>;

/** Who may do what in the console. */
const STAFF_PERMISSIONS = {
  "overview.read": STAFF_ROLES,
  "search.use": STAFF_ROLES,
  "search.codes": ["admin", "support"],
  "orders.read": STAFF_ROLES,
  "orders.manage": ["admin", "support"],
  "resellers.read": STAFF_ROLES,
  "resellers.manage": ["admin"],
  "resellers.view": ["admin", "finance", "support"],
  "endpoints.manage": ["admin", "support"],
  "wallets.read": STAFF_ROLES,
  "wallets.manage": ["admin", "finance"],
  "deposits.manage": ["admin", "finance"],
  "products.read": STAFF_ROLES,
  "products.manage": ["admin", "catalog"],
  "stock.read": STAFF_ROLES,
  "stock.manage": ["admin", "catalog"],
  "suppliers.read": STAFF_ROLES,
  "suppliers.manage": ["admin", "catalog"],
  "prices.read": STAFF_ROLES,
  "prices.edit": ["admin", "finance", "catalog"],
  "prices.publish": ["admin", "finance"],
  "reports.read": STAFF_ROLES,
  "reconciliation.manage": ["admin", "finance"],
  "staff.read": STAFF_ROLES,
  "staff.manage": ["admin"],
  "activity.read": STAFF_ROLES,
  "alerts.read": STAFF_ROLES,
  "alerts.acknowledge": ["admin", "finance", "support", "catalog"],
  "jobs.read": STAFF_ROLES,
  "jobs.cancel": ["admin", "finance", "support", "catalog"],
  "jobs.confirm": ["admin", "finance", "catalog"],
  "system.read": STAFF_ROLES,
  "system.manage": ["admin"],
} as const satisfies Record<string, readonly StaffRole[]>;

export type UserPermission = keyof typeof USER_PERMISSIONS;
export type StaffPermission = keyof typeof STAFF_PERMISSIONS;
export type Permission = UserPermission | StaffPermission;

export const userPermissions = Object.keys(USER_PERMISSIONS) as UserPermission[];
export const staffPermissions = Object.keys(STAFF_PERMISSIONS) as StaffPermission[];

/** A permission of the other face is nobody's. */
export function isPermitted(person: { kind: AccountKind; role: Role }, permission: Permission): boolean {
  const permissions: Readonly<Record<string, readonly Role[]>> =
    person.kind === "user" ? USER_PERMISSIONS : STAFF_PERMISSIONS;
  return Object.hasOwn(permissions, permission) && (permissions[permission]?.includes(person.role) ?? false);
}

export function requirePermission(person: { kind: AccountKind; role: Role }, permission: Permission): void {
  if (!isPermitted(person, permission))
    throw new Refusal("not_permitted", "Your role does not allow this. Ask an owner of your team.");
}
