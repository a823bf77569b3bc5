import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { lockWalletsOf } from "../wallet/queries.ts";
import { checkReason } from "./check-reseller.ts";
import { noReseller } from "./get-reseller.ts";
import { findReseller, type ResellerRow, updateFrozen } from "./queries.ts";

type Deps = { db: Db; clock: Clock };

/**
 * Stops a reseller from placing orders, in both environments. Reading goes on, repeated requests still return their orders,
 * and accepted orders are fulfilled. Every placement holds the lock of its wallet until it is committed, and this waits
 * for both wallets: once it returns, no placement that it did not see can commit. Placements pay nothing for that.
 */
export async function freezeReseller(
  { db, clock }: Deps,
  id: string,
  reason: string,
  by: By,
): Promise<ResellerRow> {
  const why = checkReason(reason);
  return db.transaction(async (tx) => {
    const before = await lockPlacing(tx, id);
    if (before.frozenAt !== null) return before;
    const frozen = await setFrozen(tx, id, { at: clock.now(), reason: why });
    await recordActivity(tx, clock, {
      ...by,
      action: "reseller.frozen",
      object: { kind: "reseller", id },
      resellerId: id,
      after: { reason: why },
    });
    return frozen;
  });
}

/** Lets a frozen reseller place orders again. */
export async function unfreezeReseller(
  { db, clock }: Deps,
  id: string,
  reason: string,
  by: By,
): Promise<ResellerRow> {
  const why = checkReason(reason);
  return db.transaction(async (tx) => {
    const before = await lockPlacing(tx, id);
    if (before.frozenAt === null) return before;
    const active = await setFrozen(tx, id, undefined);
    await recordActivity(tx, clock, {
      ...by,
      action: "reseller.unfrozen",
      object: { kind: "reseller", id },
      resellerId: id,
      before: { frozenAt: before.frozenAt.toISOString(), reason: before.frozenReason },
      after: { reason: why },
    });
    return active;
  });
}

/** The wallets first, as placements lock them. What is read after that is not changed by another freeze. */
async function lockPlacing(tx: Tx, id: string): Promise<ResellerRow> {
  await lockWalletsOf(tx, id);
  const row = await findReseller(tx, id);
  if (!row) throw noReseller(id);
  return row;
}

async function setFrozen(
  tx: Tx,
  id: string,
  frozen: { at: Date; reason: string } | undefined,
): Promise<ResellerRow> {
  const [row] = await updateFrozen(tx, id, frozen);
  if (!row) throw noReseller(id);
  return row;
}
