import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { formatAmount, parseTypedAmount } from "../../lib/money.ts";
import { Problem } from "../../lib/problem.ts";
import { getWallet } from "../get-wallet.ts";
import { findAlert, saveAlert } from "./alert-queries.ts";

type Deps = { db: Db; clock: Clock };
type SetAlert = { belowMinor: bigint | null; currency: string };

/** Sets the balance below which the reseller is told, as decimal text. Empty text ends it. Returns the new threshold. */
export async function setAlert(deps: Deps, tenant: Tenant, below: string, by: By): Promise<SetAlert> {
  const { currency } = await getWallet(deps.db, tenant);
  return changeAlert(deps, tenant, below === "" ? null : readAmount(below, currency), by);
}

/** The same in minor units; null ends it. */
export async function changeAlert(
  { db, clock }: Deps,
  tenant: Tenant,
  belowMinor: bigint | null,
  by: By,
): Promise<SetAlert> {
  const { currency } = await getWallet(db, tenant);
  const show = (amount: bigint | null) =>
    amount === null ? "none" : `${formatAmount(amount, currency)} ${currency}`;
  await db.transaction(async (tx) => {
    const before = await findAlert(tx, tenant);
    if (before === belowMinor) return;
    await saveAlert(tx, tenant, belowMinor, clock.now());
    await recordActivity(tx, clock, {
      ...by,
      action: "wallet.alert_changed",
      object: { kind: "wallet", id: tenant.resellerId },
      resellerId: tenant.resellerId,
      environment: tenant.environment,
      before: { below: show(before) },
      after: { below: show(belowMinor) },
    });
  });
  return { belowMinor, currency };
}

function readAmount(text: string, currency: string): bigint {
  try {
    const amount = parseTypedAmount(text, currency);
    if (amount > 0n) return amount;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const detail = `Enter an amount in ${currency} above zero, such as ${formatAmount(100_000n, currency)}.`;
  throw new Problem("invalid_request", detail, { errors: [{ pointer: "/below", code: "invalid", detail }] });
}
