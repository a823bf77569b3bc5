import { isCurrency } from "../../lib/currencies.ts";
import type { Json } from "../../lib/strict-json.ts";
import type { BalanceReading, OddRow, StatementEntry, StatementRow, SupplierPrice } from "../supplier.ts";
import { sumUp } from "./decimal-amount.ts";

const NUMBER = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,63}$/;
/** Our reference, or what a supplier keeps of it. */
const REFERENCE_MAX_CHARACTERS = 200;

/** An odd row. A number that is long or strange is not quoted. */
export const oddRow = (number: string | undefined, field: string, reason: string): { odd: OddRow } => ({
  odd: { ...(number !== undefined && NUMBER.test(number) ? { number } : {}), field, reason },
});

/** `77, destination.unit is not a currency` */
export const sayOdd = ({ number, field, reason }: OddRow): string =>
  `${number === undefined ? "" : `${number}, `}${field} ${reason}`;

export type ReadAmounts = SupplierPrice | Omit<OddRow, "number">;

/** The sum of amounts in one currency by the names of their members, or the first member that is wrong. */
export function readAmounts(
  amounts: Readonly<Record<string, string | undefined>>,
  [currencyField, currency]: readonly [string, string | undefined],
): ReadAmounts {
  if (currency === undefined) return { field: currencyField, reason: "is missing" };
  if (!isCurrency(currency)) return { field: currencyField, reason: "is not a currency" };
  for (const [field, text] of Object.entries(amounts)) {
    if (text === undefined) return { field, reason: "is missing or not an amount" };
    if (/^-.*[1-9]/.test(text)) return { field, reason: "is negative" };
    if (!sumUp([text], currency)) return { field, reason: "is not an amount" };
  }
  return (
    sumUp(Object.values(amounts), currency) ?? { field: currencyField, reason: "is more than an amount" }
  );
}

type Account = [number: string | undefined, ...amounts: Parameters<typeof readAmounts>];

/** The first balance that can be read, and the accounts whose balance cannot. */
export function readAccounts(
  accounts: readonly Json[],
  toAccount: (one: Json) => Account,
): BalanceReading | undefined {
  if (accounts.length === 0) return undefined;
  const read = accounts.map((one) => {
    const [number, ...amounts] = toAccount(one);
    return { number, balance: readAmounts(...amounts) };
  });
  const balance = read.flatMap((one) => ("reason" in one.balance ? [] : [one.balance]))[0];
  const odd = read.flatMap((one) =>
    "reason" in one.balance ? [oddRow(one.number, one.balance.field, one.balance.reason).odd] : [],
  );
  return { ...(balance ? { balance } : {}), odd };
}

/** A line of a statement as it was read. What could not be read is undefined; `fields` are the names of its members. */
export type ReadEntry = {
  state: StatementEntry["state"] | undefined;
  reference: string | undefined;
  upstreamId: string | undefined;
  price: ReadAmounts | undefined;
  at: Date;
  fields: { state: string; id: string; price: string };
};

/** A line that can be compared, or what is wrong with it: one odd line costs one line, and says which purchase it is about. */
export function checkedEntry({ state, reference, upstreamId, price, at, fields }: ReadEntry): StatementRow {
  const isCharged = state === "completed" || state === "reversed";
  const isPriced = price !== undefined && "amountMinor" in price;
  const about = {
    ...(reference === undefined ? {} : { reference: reference.slice(0, REFERENCE_MAX_CHARACTERS) }),
    ...(upstreamId === undefined ? {} : { upstreamId: upstreamId.slice(0, REFERENCE_MAX_CHARACTERS) }),
    ...(Number.isNaN(at.getTime()) ? {} : { at }),
  };
  if (reference === undefined && upstreamId === undefined)
    return { ...about, ...oddRow(undefined, fields.id, "is missing") };
  const number = upstreamId ?? reference;
  if (state === undefined)
    return { ...about, ...oddRow(number, fields.state, "is not a status that Scrip knows") };
  if (isCharged && !isPriced)
    return { ...about, ...oddRow(number, price?.field ?? fields.price, price?.reason ?? "is missing") };
  return { ...about, state, ...(isPriced ? { price } : {}) };
}
