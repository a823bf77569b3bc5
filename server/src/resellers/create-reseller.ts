import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { isCurrency } from "../lib/currencies.ts";
import { newId } from "../lib/ids.ts";
import { assertPlainText } from "../lib/plain-text.ts";
import { openWallets } from "../wallet/open-wallets.ts";
import { insertReseller, type ResellerRow } from "./queries.ts";

export type CreateResellerInput = {
  name: string;
  currency: string;
  email: string;
  priceList?: string | undefined;
};

export const STANDARD_PRICE_LIST = "standard";
const NAME_MAX_CHARACTERS = 200;
const PRICE_LIST_PATTERN = /^[A-Za-z0-9._:-]{1,64}$/;
const EMAIL_PATTERN = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

/** A new reseller with its two wallets. */
export async function createReseller(db: Db, clock: Clock, input: CreateResellerInput): Promise<ResellerRow> {
  const name = input.name.trim();
  const priceList = input.priceList ?? STANDARD_PRICE_LIST;
  if (name.length === 0 || name.length > NAME_MAX_CHARACTERS) {
    throw new RangeError(`a reseller's name has 1 to ${NAME_MAX_CHARACTERS} characters`);
  }
  assertPlainText("a reseller's name", name);
  if (!isCurrency(input.currency))
    throw new RangeError(`"${input.currency}" is not an ISO-4217 currency, such as USD`);
  if (!EMAIL_PATTERN.test(input.email)) throw new RangeError(`"${input.email}" is not an e-mail address`);
  if (!PRICE_LIST_PATTERN.test(priceList)) {
    throw new RangeError(`"${priceList}" is not a price list's name: 1 to 64 of A-Z a-z 0-9 . _ : -`);
  }
  const now = clock.now();
  return db.transaction(async (tx) => {
    const [row] = await insertReseller(tx, {
      id: newId("rsl", now.getTime()),
      name,
      currency: input.currency,
      email: input.email,
      priceList,
      createdAt: now,
    });
    if (!row) throw new Error("the reseller was not stored");
    await openWallets(tx, clock, row);
    return row;
  });
}
