import { hash } from "node:crypto";
import { isCurrency } from "../../lib/currencies.ts";
import { parseAmount } from "../../lib/money.ts";

/** A payment that arrived, as a bank statement tells it. */
export type BankLine = {
  /** The line of a CSV file, or the number of the entry in an XML file. */
  row: number;
  /** The account that it arrived on, or "" where the file does not say. */
  account: string;
  /** The bank's own reference of this line. */
  entryReference: string | undefined;
  bookedOn: string;
  amountMinor: bigint;
  currency: string;
  payer: string;
  /** All texts in which a payment reference can be. */
  remittance: string;
};

/** A line, or why it is none: something that is wrong with it, or something that is no payment to us. */
export type StatementRow =
  | { row: number; line: BankLine }
  | { row: number; fault: string }
  | { row: number; skipped: string };

/** Larger files are refused before they are read to their end. */
export const STATEMENT_MAX_BYTES = 64 * 1024 * 1024;
export const STATEMENT_MAX_ROWS = 200_000;
const ACCOUNT_MAX_CHARACTERS = 64;
const ENTRY_REFERENCE_MAX_CHARACTERS = 128;
const PAYER_MAX_CHARACTERS = 300;
const REMITTANCE_MAX_CHARACTERS = 1_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** What banks write where they have no reference. */
const NO_REFERENCE = /^(?:|NONREF|NOTPROVIDED|NOT PROVIDED|N\/?A|0+|-)$/i;

export type RawLine = Record<
  "account" | "entryReference" | "bookedOn" | "amount" | "currency" | "payer" | "remittance",
  string
>;

/** Checks what a file says about one payment. A fault begins with its column. Nothing is guessed: a comma is no decimal point, and 1.000 is not 1000. */
export function toRow(row: number, raw: RawLine): StatementRow {
  const currency = raw.currency.trim().toUpperCase();
  const amount = raw.amount.trim();
  if (!isCurrency(currency))
    return { row, fault: `currency: "${shorten(raw.currency)}" is not a currency code, such as EUR` };
  if (/^-/.test(amount)) return { row, skipped: "not an incoming payment" };
  if (amount.includes(","))
    return { row, fault: `amount: "${shorten(amount)}" has a comma; write the amount like 1000.00` };
  const amountMinor = findAmount(amount.replace(/^\+/, ""), currency);
  if (amountMinor === undefined)
    return {
      row,
      fault: `amount: "${shorten(amount)}" is not an amount in ${currency}; write it like 1000.00`,
    };
  if (amountMinor === 0n) return { row, skipped: "the amount is zero" };
  const bookedOn = raw.bookedOn.trim();
  if (!isDate(bookedOn))
    return { row, fault: `date: "${shorten(bookedOn)}" is not a date; write it like 2030-01-31` };
  const reference = clean(raw.entryReference);
  const account = clean(raw.account).replaceAll(" ", "").toUpperCase();
  if (account.length > ACCOUNT_MAX_CHARACTERS)
    return { row, fault: `account: is longer than ${ACCOUNT_MAX_CHARACTERS} characters` };
  if (reference.length > ENTRY_REFERENCE_MAX_CHARACTERS)
    return { row, fault: `id: is longer than ${ENTRY_REFERENCE_MAX_CHARACTERS} characters` };
  const line: BankLine = {
    ...{ row, account, bookedOn, amountMinor, currency },
    entryReference: isBankReference(reference) ? reference : undefined,
    payer: clean(raw.payer).slice(0, PAYER_MAX_CHARACTERS).toWellFormed(),
    remittance: clean(raw.remittance).slice(0, REMITTANCE_MAX_CHARACTERS).toWellFormed(),
  };
  return { row, line };
}

/** False for what banks write where they have no reference: many payments share it, so it names none of them. */
export const isBankReference = (text: string): boolean => !NO_REFERENCE.test(clean(text));

/** The amount, or undefined if it is none in this currency. */
export function findAmount(text: string, currency: string): bigint | undefined {
  try {
    return parseAmount(text, currency);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const isDate = (text: string): boolean =>
  DATE.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().slice(0, 10) === text;

/** Other people's text: no control characters, no line breaks, no NUL, which PostgreSQL refuses. */
const clean = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();

const shorten = (text: string): string => (text.length > 40 ? `${clean(text).slice(0, 39)}…` : clean(text));

export type IdentifiedLine = BankLine & {
  /** One bank line has the same identity in every file that has it. */
  identity: Buffer;
  /** The row of this file that says exactly the same, if there is one before. */
  sameAs: number | undefined;
};

/**
 * Gives each line its identity: the account and the bank's reference, or all that the line says and its number among equal lines
 * of this file. Two equal payments of one day are two lines. An export that overlaps an earlier one counts equal lines of a
 * day again from one, so what both have is recognised. An export that starts in the middle of a day can only miss a
 * payment, never count one twice.
 */
export function identify(lines: readonly BankLine[]): IdentifiedLine[] {
  const seen = new Map<string, { count: number; row: number }>();
  return lines.map((line) => {
    const { account, entryReference, bookedOn, amountMinor, currency, payer, remittance } = line;
    const said = [bookedOn, amountMinor.toString(), currency, payer, remittance];
    const key = JSON.stringify([account, ...(entryReference === undefined ? said : [entryReference])]);
    const before = seen.get(key);
    const count = before?.count ?? 0;
    seen.set(key, { count: count + 1, row: before?.row ?? line.row });
    // The bank's reference names one line, however often the file repeats it.
    const ordinal = entryReference === undefined ? count : "reference";
    return {
      ...line,
      identity: hash("sha256", JSON.stringify(["bank line", ordinal, key]), "buffer"),
      sameAs: before?.row,
    };
  });
}
