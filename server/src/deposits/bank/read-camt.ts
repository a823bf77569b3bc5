import { formatAmount, parseAmount } from "../../lib/money.ts";
import { findAmount, isBankReference, STATEMENT_MAX_ROWS, type StatementRow, toRow } from "./bank-line.ts";
import { readXml, type XmlElement } from "./read-xml.ts";

/**
 * Reads the entries of a camt.053 statement (ISO 20022): booked credits, one line for each payment of a batch. The account's check
 * digits, and the count and sum of the statement's own summary, must be right.
 */
export function readCamt(text: string): StatementRow[] {
  const rows: StatementRow[] = [];
  const entries: Tally[] = [];
  const root = readXml(text, "Ntry", (entry, open) => {
    if (entries.length >= STATEMENT_MAX_ROWS)
      throw new RangeError(`the file has more than ${STATEMENT_MAX_ROWS} entries; split it`);
    const statement = open.at(-1);
    if (statement?.name !== "Stmt") return;
    const account = accountOf(statement);
    entries.push({ statement, amount: textAt(entry, "Amt").trim(), currency: currencyOf(entry) });
    rows.push(...readEntry(entry, account, rows.length + 1));
  });
  const statements = find(root, "BkToCstmrStmt");
  if (root.name !== "Document" || !statements)
    throw new RangeError("the file is XML, but not a camt.053 statement");
  for (const statement of statements.children.filter(({ name }) => name === "Stmt"))
    checkSummary(
      statement,
      entries.filter((entry) => entry.statement === statement),
    );
  return rows;
}

type Tally = { statement: XmlElement; amount: string; currency: string };

function readEntry(entry: XmlElement, account: string, first: number): StatementRow[] {
  const skipped = whySkipped(entry);
  if (skipped !== undefined) return [{ row: first, skipped }];
  const payments = all(entry, "NtryDtls").flatMap((details) => all(details, "TxDtls"));
  const entryReference = textAt(entry, "AcctSvcrRef");
  const bookedOn = textAt(entry, "BookgDt", "Dt") || textAt(entry, "BookgDt", "DtTm").slice(0, 10);
  const shared = { account, bookedOn };
  if (payments.length <= 1) {
    const [payment = entry] = payments;
    const raw = { ...shared, entryReference, amount: textAt(entry, "Amt"), currency: currencyOf(entry) };
    return [toRow(first, { ...raw, ...partiesOf(payment), remittance: remittanceOf(entry, payment) })];
  }
  const amounts = payments.map((payment) => find(payment, "Amt") ?? find(payment, "AmtDtls", "TxAmt", "Amt"));
  const isWhole = addsUp(entry, payments, amounts);
  return payments.map((payment, index) => {
    const amount = amounts[index];
    if (!amount)
      return { row: first + index, fault: "a batch whose payments have no amounts; book it by hand" };
    if (!isWhole)
      return {
        row: first + index,
        fault: "a batch whose payments do not add up to what arrived; book it by hand",
      };
    const own = textAt(payment, "Refs", "AcctSvcrRef");
    return toRow(first + index, {
      ...shared,
      entryReference: referenceInBatch(entryReference, own, index + 1),
      amount: amount.text,
      currency: amount.attributes.Ccy ?? "",
      ...partiesOf(payment),
      remittance: remittanceOf(payment),
    });
  });
}

/** The payment's own reference, or its number in the batch. A placeholder with a number would look like a real reference. */
function referenceInBatch(entryReference: string, own: string, number: number): string {
  if (isBankReference(own) && own !== entryReference) return own;
  return isBankReference(entryReference) ? `${entryReference}/${number}` : "";
}

/** Charges, a conversion or a payment that went back make a batch arrive as less than its payments say. */
function addsUp(
  entry: XmlElement,
  payments: readonly XmlElement[],
  amounts: readonly (XmlElement | undefined)[],
): boolean {
  const currency = currencyOf(entry);
  if (amounts.some((amount) => amount?.attributes.Ccy !== currency)) return false;
  if (payments.some((payment) => textAt(payment, "CdtDbtInd").trim() === "DBIT")) return false;
  const total = findAmount(textAt(entry, "Amt").trim(), currency);
  const parts = amounts.map((amount) => findAmount(amount?.text.trim() ?? "", currency) ?? -1n);
  return total !== undefined && !parts.includes(-1n) && parts.reduce((sum, part) => sum + part, 0n) === total;
}

function whySkipped(entry: XmlElement): string | undefined {
  if (textAt(entry, "CdtDbtInd").trim() !== "CRDT") return "not an incoming payment";
  // An xs:boolean is also written as 1.
  if (/^(?:true|1)$/.test(textAt(entry, "RvslInd").trim())) return "a reversal";
  const status = (textAt(entry, "Sts", "Cd") || textAt(entry, "Sts")).trim();
  return status === "" || status === "BOOK" ? undefined : "not booked yet";
}

const currencyOf = (entry: XmlElement): string => find(entry, "Amt")?.attributes.Ccy ?? "";

const partiesOf = (payment: XmlElement): { payer: string } => ({
  payer: textAt(payment, "RltdPties", "Dbtr", "Nm") || textAt(payment, "RltdPties", "Dbtr", "Pty", "Nm"),
});

/** All texts that can hold the reference, structured ones first. */
function remittanceOf(...elements: readonly XmlElement[]): string {
  const texts = elements.flatMap((element) => [
    ...all(element, "RmtInf").flatMap((info) => [
      ...all(info, "Strd").map((structured) => textAt(structured, "CdtrRefInf", "Ref")),
      ...all(info, "Ustrd").map(({ text }) => text),
    ]),
    textAt(element, "Refs", "EndToEndId"),
    textAt(element, "AddtlTxInf"),
    textAt(element, "AddtlNtryInf"),
  ]);
  return [...new Set(texts.filter((text) => text.trim() !== ""))].join(" ");
}

function accountOf(statement: XmlElement): string {
  const iban = textAt(statement, "Acct", "Id", "IBAN").replaceAll(/\s/g, "").toUpperCase();
  if (iban !== "" && !isIban(iban))
    throw new RangeError("the check digits of the statement's IBAN are wrong");
  return iban || textAt(statement, "Acct", "Id", "Othr", "Id").trim();
}

const isIban = (text: string): boolean =>
  /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text) &&
  BigInt(
    `${text.slice(4)}${text.slice(0, 4)}`.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55)),
  ) %
    97n ===
    1n;

/** A file that was cut or edited says another count or sum than it has. */
function checkSummary(statement: XmlElement, entries: readonly Tally[]): void {
  const total = find(statement, "TxsSummry", "TtlNtries");
  if (!total) return;
  const count = textAt(total, "NbOfNtries").trim();
  if (count !== "" && Number(count) !== entries.length)
    throw new RangeError(`the statement says that it has ${count} entries, but it has ${entries.length}`);
  const sum = textAt(total, "Sum").trim();
  const [currency = ""] = new Set(entries.map((entry) => entry.currency));
  if (sum === "" || entries.length === 0) return;
  const found = entries.reduce((all, { amount }) => all + parseAmount(amount, currency), 0n);
  if (parseAmount(sum, currency) !== found)
    throw new RangeError(
      `the statement says that its sum is ${sum}, but it is ${formatAmount(found, currency)}`,
    );
}

function find(element: XmlElement, ...path: readonly string[]): XmlElement | undefined {
  let found: XmlElement | undefined = element;
  for (const name of path) found = found?.children.find((child) => child.name === name);
  return found;
}

const all = (element: XmlElement, name: string): XmlElement[] =>
  element.children.filter((child) => child.name === name);

const textAt = (element: XmlElement, ...path: readonly string[]): string =>
  find(element, ...path)?.text ?? "";
