import type { KeyObject } from "node:crypto";
import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { createCodeDigest } from "../vault/code-digest.ts";
import type { Found } from "./found.ts";
import { findCodeRow } from "./queries.ts";

/** A link is a code too. */
export const CODE_MAX_CHARACTERS = 2_048;

/**
 * Where a live code belongs, found by its digest: no code is opened. The search is in the activity log in the same transaction,
 * whether or not it found anything, and never with the code.
 */
export async function findCode(
  { db, clock, codeDigestKey }: { db: Db; clock: Clock; codeDigestKey: KeyObject },
  text: string,
  by: By,
): Promise<Found | undefined> {
  const digest = createCodeDigest(codeDigestKey)(text);
  return db.transaction(async (tx) => {
    const found = await findCodeRow(tx, digest);
    await recordActivity(tx, clock, {
      ...by,
      action: "code.searched",
      object: { kind: "code", id: found?.id ?? "none" },
      resellerId: found?.resellerId ?? undefined,
      environment: found?.environment ?? undefined,
      after: found?.orderId ? { found: true, order: found.orderId } : { found: found !== undefined },
    });
    return found;
  });
}
