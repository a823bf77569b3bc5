import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isPermitted,
  type Permission,
  type Role,
  requirePermission,
  STAFF_ROLES,
  staffPermissions,
  USER_ROLES,
  userPermissions,
} from "./permissions.ts";

const user = (role: Role) => ({ kind: "user" as const, role });
const staff = (role: Role) => ({ kind: "staff" as const, role });

test("an owner and an admin may do everything on their own face, and nothing on the other", () => {
  for (const permission of userPermissions) assert.ok(isPermitted(user("owner"), permission), permission);
  for (const permission of staffPermissions) assert.ok(isPermitted(staff("admin"), permission), permission);
  assert.equal(isPermitted(user("owner"), "system.manage"), false);
  assert.equal(isPermitted(staff("admin"), "people.manage"), false);
});

test("a role of one face counts for nothing on the other, also where both have a role of that name", () => {
  const shared = USER_ROLES.filter((role) => (STAFF_ROLES as readonly Role[]).includes(role));
  assert.deepEqual(shared, ["finance", "support", "viewer"]);
  const only = (mine: readonly Permission[], other: readonly Permission[]) =>
    mine.filter((permission) => !other.includes(permission));
  for (const role of shared) {
    const strange = only(staffPermissions, userPermissions).filter((one) => isPermitted(user(role), one));
    strange.push(...only(userPermissions, staffPermissions).filter((one) => isPermitted(staff(role), one)));
    assert.deepEqual(strange, [], role);
  }
});

test("a viewer changes nothing and sees no codes", () => {
  const held = (person: { kind: "user" | "staff"; role: Role }, all: readonly Permission[]) =>
    all.filter((permission) => isPermitted(person, permission) && !permission.endsWith(".read"));
  assert.deepEqual(held(user("viewer"), userPermissions), []);
  assert.deepEqual(held(staff("viewer"), staffPermissions), ["search.use"]);
});

test("each role has the permissions of its work", () => {
  const rows: readonly [Permission, readonly Role[]][] = [
    ["codes.reveal", ["owner", "support"]],
    ["keys.manage", ["owner", "developer"]],
    ["webhooks.manage", ["owner", "developer"]],
    ["orders.test", ["owner", "developer"]],
    ["wallet.deposit", ["owner", "finance"]],
    ["wallet.export", ["owner", "finance"]],
    ["encryption.manage", ["owner"]],
    ["settings.manage", ["owner"]],
    ["people.manage", ["owner"]],
  ];
  for (const [permission, roles] of rows)
    assert.deepEqual(
      USER_ROLES.filter((role) => isPermitted(user(role), permission)),
      roles,
      permission,
    );
  const staffRows: readonly [Permission, readonly Role[]][] = [
    ["orders.manage", ["admin", "support"]],
    ["search.codes", ["admin", "support"]],
    ["resellers.manage", ["admin"]],
    ["resellers.view", ["admin", "finance", "support"]],
    ["endpoints.manage", ["admin", "support"]],
    ["wallets.manage", ["admin", "finance"]],
    ["deposits.manage", ["admin", "finance"]],
    ["products.manage", ["admin", "catalog"]],
    ["prices.publish", ["admin", "finance"]],
    ["stock.manage", ["admin", "catalog"]],
    ["staff.manage", ["admin"]],
  ];
  for (const [permission, roles] of staffRows)
    assert.deepEqual(
      STAFF_ROLES.filter((role) => isPermitted(staff(role), permission)),
      roles,
      permission,
    );
});

test("a name that every object has is no permission", () => {
  assert.equal(isPermitted(user("owner"), "constructor" as Permission), false);
  assert.throws(() => requirePermission(user("viewer"), "keys.manage"), { code: "not_permitted" });
});
