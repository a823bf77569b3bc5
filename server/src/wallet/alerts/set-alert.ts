import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { formatAmount, parseAmount } from "../../lib/money.ts";
import { Problem } from "../../lib/problem.ts";
import { getWallet } from "../get-wallet.ts";
import { findAlert, saveAlert } from "./alert-queries.ts";

/** Sets the balance below which the reseller gets a letter, as decimal text. Empty text ends it. Returns the new threshold. */
export async function setAlert(
  { db, clock }: { db: Db; clock: Clock },
  tenant: Tenant,
  below: string,
  by: By,
): Promise<{ belowMinor: bigint | null; currency: string }> {
  const { currency } = await getWallet(db, tenant);
  const belowMinor = below === "" ? null : readAmount(below, currency);
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
    const amount = parseAmount(text, currency);
    if (amount > 0n) return amount;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const detail = `Enter an amount in ${currency} above zero, such as ${formatAmount(100_000n, currency)}.`;
  throw new Problem("invalid_request", detail, { errors: [{ pointer: "/below", code: "invalid", detail }] });
}
