import { parseCurrency } from "../../lib/currencies.ts";
import { parseTypedAmount } from "../../lib/money.ts";
import type { PriceKey } from "./price-import-queries.ts";

/** The columns of a price file, in any order. */
export const PRICE_COLUMNS = ["product", "list", "reseller", "currency", "amount", "strike"] as const;
export type PriceColumn = (typeof PRICE_COLUMNS)[number];

export type ParsedPrice = PriceKey & { line: number; amountMinor: bigint; strikeMinor: bigint | null };

export const PRICE_LIST_PATTERN = /^[A-Za-z0-9._:-]{1,64}$/;

type Cells = Readonly<Record<PriceColumn, string>>;

/** Parses one row of a price file, or returns its fault. `currencies` has the wallet currency of every reseller. */
export function parsePriceRow(
  { line, cells }: { line: number; cells: Cells },
  currencies: ReadonlyMap<string, string>,
): ParsedPrice | { fault: string } {
  try {
    const target = targetOf(cells, currencies);
    const prices = parsePrices(cells, target.currency, inColumn);
    return { line, productId: cells.product, ...target, ...prices };
  } catch (error) {
    if (error instanceof RangeError) return { fault: error.message };
    throw error;
  }
}

/** Says what is wrong with a cell behind the name of its column. */
function inColumn<Value>(column: PriceColumn, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw new RangeError(`${column}: ${error.message}`);
    throw error;
  }
}

const alone = <Value>(_column: PriceColumn, parse: () => Value): Value => parse();

function targetOf(cells: Cells, currencies: ReadonlyMap<string, string>): Omit<PriceKey, "productId"> {
  const { product, list, reseller, currency } = cells;
  if (product === "") throw new RangeError("product: is empty");
  if ((list === "") === (reseller === "")) throw new RangeError("list: set either list or reseller");
  if (reseller === "") {
    inColumn("list", () => checkListName(list));
    return {
      priceList: list,
      resellerId: null,
      currency: inColumn("currency", () => parseCurrency(currency)),
    };
  }
  const own = currencies.get(reseller);
  if (own === undefined) throw new RangeError(`reseller: there is no reseller "${reseller}"`);
  if (currency !== "" && currency.toUpperCase() !== own)
    throw new RangeError(`currency: the wallet of ${reseller} is in ${own}, so its prices must be too`);
  return { priceList: null, resellerId: reseller, currency: own };
}

/** A price and its strike price. `named` says the name of a column before what is wrong in it. */
export function parsePrices(
  { amount, strike }: { amount: string; strike: string | undefined },
  currency: string,
  named: typeof alone = alone,
): { amountMinor: bigint; strikeMinor: bigint | null } {
  const amountMinor = named("amount", () => parsePositive(amount, currency));
  const strikeMinor = named("strike", () => {
    if (strike === undefined || strike === "") return null;
    const parsed = parsePositive(strike, currency);
    if (parsed >= amountMinor) return parsed;
    throw new RangeError(
      `the strike price ${strike} is below the price ${amount}; it is the price before the discount`,
    );
  });
  return { amountMinor, strikeMinor };
}

function parsePositive(text: string, currency: string): bigint {
  const amountMinor = parseTypedAmount(text, currency);
  if (amountMinor === 0n) throw new RangeError("a price must be more than zero");
  return amountMinor;
}

export function checkListName(name: string): void {
  if (!PRICE_LIST_PATTERN.test(name))
    throw new RangeError(
      `"${name}" is not a valid price list name: 1 to 64 characters of A-Z a-z 0-9 . _ : -`,
    );
}
