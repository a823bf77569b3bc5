import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { Problem } from "../lib/problem.ts";
import { checkEmail } from "./check-reseller.ts";
import { noReseller } from "./get-reseller.ts";
import { findReseller, type ResellerRow, updateReseller } from "./queries.ts";

/** Changes the address that gets notices about failing and disabled endpoints. */
export async function changeNotices(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  email: string,
  by: By,
): Promise<ResellerRow> {
  const address = readAddress(email);
  return db.transaction(async (tx) => {
    const before = await findReseller(tx, id);
    const [after] = await updateReseller(tx, id, { email: address, name: undefined, priceList: undefined });
    if (!before || !after) throw noReseller(id);
    if (before.email !== after.email)
      await recordActivity(tx, clock, {
        ...by,
        action: "reseller.notices_changed",
        object: { kind: "reseller", id },
        resellerId: id,
        before: { email: before.email },
        after: { email: after.email },
      });
    return after;
  });
}

function readAddress(email: string): string {
  try {
    return checkEmail(email);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const detail = "Enter an email address such as name@example.com.";
    throw new Problem("invalid_request", detail, {
      errors: [{ pointer: "/email", code: "invalid", detail }],
    });
  }
}
