import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { parseCurrency } from "../lib/currencies.ts";
import { idsOf } from "../lib/ids.ts";
import { openWallets } from "../wallet/open-wallets.ts";
import { checkEmail, checkName, checkPriceList } from "./check-reseller.ts";
import { insertReseller, type ResellerRow } from "./queries.ts";

export type CreateResellerInput = {
  name: string;
  currency: string;
  email: string;
  priceList?: string | undefined;
};

export const STANDARD_PRICE_LIST = "standard";
/** A new reseller with its two wallets. */
export async function createReseller(
  db: Db,
  clock: Clock,
  input: CreateResellerInput,
  by?: By,
): Promise<ResellerRow> {
  const name = checkName(input.name);
  const priceList = checkPriceList(input.priceList ?? STANDARD_PRICE_LIST);
  const email = checkEmail(input.email);
  const currency = parseCurrency(input.currency);
  const now = clock.now();
  return db.transaction(async (tx) => {
    const [row] = await insertReseller(tx, {
      id: idsOf(clock)("rsl"),
      name,
      currency,
      email,
      priceList,
      createdAt: now,
    });
    if (!row) throw new Error("the reseller was not stored");
    await openWallets(tx, clock, row);
    if (by)
      await recordActivity(tx, clock, {
        ...by,
        action: "reseller.created",
        object: { kind: "reseller", id: row.id },
        resellerId: row.id,
        after: { name, currency: row.currency, email, priceList },
      });
    return row;
  });
}
