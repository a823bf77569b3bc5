import type { Tx } from "../../db/database.ts";
import { shareStaff } from "../account-queries.ts";
import { isPermitted, type StaffPermission } from "../permissions.ts";
import { Refusal } from "../refusal.ts";

/**
 * Refuses unless every one of these people is on the staff and has the permission now, and keeps it so until the transaction
 * ends: a removal or another role waits for it, or was there before.
 */
export async function lockStaff(
  tx: Tx,
  ids: readonly string[],
  permission: StaffPermission,
  refusal: (id: string) => Refusal = notPermitted,
): Promise<void> {
  const people = await shareStaff(tx, ids);
  for (const id of ids) {
    const person = people.find((one) => one.id === id);
    if (!person || !isPermitted({ kind: "staff", role: person.role }, permission)) throw refusal(id);
  }
}

const notPermitted = (): Refusal => new Refusal("not_permitted", "Your role does not allow this.");
