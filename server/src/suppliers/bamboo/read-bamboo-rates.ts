import { isCurrency } from "../../lib/currencies.ts";
import type { BasicClient } from "../calls/basic-client.ts";
import { plainDecimal } from "../calls/decimal-amount.ts";
import { isSuccess, listOf, objectAt, reasonOf, textAt } from "../calls/read-answer.ts";
import type { CallLimit } from "../calls/throttle.ts";
import { SupplierUnreadable, type ToldRate } from "../supplier.ts";

/** What one unit of Bamboo's base currency is worth in every other. One entry that makes no sense spoils all: nothing is guessed. */
export async function readBambooRates(client: BasicClient, limit: CallLimit): Promise<readonly ToldRate[]> {
  const answer = await client.call({ method: "GET", path: "/api/integration/v1.0/exchange-rates" }, limit);
  if (answer.kind === "not_sent") throw new SupplierUnreadable(answer.reason);
  if (!isSuccess(answer)) throw new SupplierUnreadable(reasonOf(answer));
  const base = textAt(answer.body, "baseCurrencyCode");
  const told = listOf(objectAt(answer.body)?.rates);
  if (base === undefined || !isCurrency(base) || !told) throw new SupplierUnreadable("nonsense");
  const rates = new Map<string, string>();
  for (const one of told) {
    const quote = textAt(one, "currencyCode");
    const rate = plainDecimal(textAt(one, "value") ?? "");
    if (quote === undefined || rate === undefined || rates.has(quote))
      throw new SupplierUnreadable("nonsense");
    rates.set(quote, rate);
  }
  return [...rates]
    .filter(([quote]) => quote !== base && isCurrency(quote))
    .map(([quote, rate]) => ({ base, quote, rate }));
}
