import { formatAmount } from "../../lib/money.ts";
import type { Deposit } from "../deposit.ts";
import { findReferences, isTestReference, showReference } from "../reference.ts";
import type { IdentifiedLine, StatementRow } from "./bank-line.ts";
import type { StoredLine } from "./bank-queries.ts";

/** Rows that are received when the import is applied: with `exact` the deposit is complete and is credited too. */
export const MATCHED_RESULTS = ["exact", "partial", "over"] as const;
export type MatchedResult = (typeof MATCHED_RESULTS)[number];

export type MatchResult =
  | MatchedResult
  /** Looks like a line that is there already. It is counted only if a person names its row. */
  | "doubled"
  | "already_recorded"
  | "already_received"
  | "already_credited"
  | "deposit_rejected"
  | "other_currency"
  | "wrong_checksum"
  | "no_reference"
  | "several_references"
  | "unknown_reference"
  | "test_reference"
  | "bad_row"
  | "skipped";

/** What is proposed for one row of a statement, and why. */
export type Match = {
  row: number;
  result: MatchResult;
  detail: string;
  line?: IdentifiedLine | undefined;
  deposit?: Deposit | undefined;
};

/** What the database knows about the lines and references of a file. */
export type Known = {
  deposits: ReadonlyMap<string, Deposit>;
  recorded: ReadonlyMap<string, StoredLine>;
  linesOf: ReadonlyMap<string, readonly StoredLine[]>;
};

const LOOKALIKE_DAYS = 3;
const DAY_MS = 86_400_000;

/** Holds each row against the deposits, in order, without changing anything. Rows of one deposit add up. */
export function proposeMatches(
  rows: readonly StatementRow[],
  lines: readonly IdentifiedLine[],
  known: Known,
): Match[] {
  const byRow = new Map(lines.map((line) => [line.row, line]));
  const running = new Map<string, Counted[]>();
  return rows.map((given): Match => {
    const { row } = given;
    if ("fault" in given) return { row, result: "bad_row", detail: given.fault };
    if ("skipped" in given) return { row, result: "skipped", detail: given.skipped };
    const line = byRow.get(row);
    if (!line) throw new Error("a line without its identity");
    return { row, line, ...judge(line, known, running) };
  });
}

type Counted = Pick<StoredLine, "amountMinor" | "bookedOn">;
type Judged = Pick<Match, "result" | "detail" | "deposit">;

function judge(line: IdentifiedLine, known: Known, running: Map<string, Counted[]>): Judged {
  const recorded = known.recorded.get(line.identity.toString("hex"));
  if (recorded) return judgeRecorded(line, recorded);
  const { valid, hasWrongDigits } = findReferences(line.remittance);
  const [reference] = valid;
  if (reference === undefined)
    return hasWrongDigits
      ? refuse("wrong_checksum", "The check digits of the reference are wrong.")
      : refuse("no_reference", "There is no payment reference.");
  if (valid.length > 1)
    return refuse("several_references", `It names ${valid.length} references. Receive the deposits by hand.`);
  if (isTestReference(reference)) return refuse("test_reference", "This reference belongs to the sandbox.");
  const deposit = known.deposits.get(reference);
  if (!deposit)
    return refuse("unknown_reference", `No deposit has the reference ${showReference(reference)}.`);
  return { deposit, ...judgeDeposit(line, deposit, known, running) };
}

function judgeRecorded(line: IdentifiedLine, recorded: StoredLine): Judged {
  const isSame =
    recorded.amountMinor === line.amountMinor &&
    recorded.currency === line.currency &&
    recorded.bookedOn === line.bookedOn;
  return isSame
    ? refuse("already_recorded", `This line was counted for ${recorded.depositId} before.`)
    : refuse(
        "doubled",
        `Another line with this bank reference was counted for ${recorded.depositId}. Check it with the bank.`,
      );
}

function judgeDeposit(
  line: IdentifiedLine,
  deposit: Deposit,
  known: Known,
  running: Map<string, Counted[]>,
): Judged {
  if (deposit.status === "credited")
    return refuse(
      "already_credited",
      "The deposit was credited already. Request a new deposit for this payment.",
    );
  if (deposit.status === "rejected") return refuse("deposit_rejected", "The deposit was rejected.");
  if (line.currency !== deposit.currency)
    return refuse(
      "other_currency",
      `The payment is in ${line.currency}, the deposit in ${deposit.currency}.`,
    );
  if (deposit.receivedByHand) return refuse("already_received", "A person received this deposit already.");
  const counted = running.get(deposit.id) ?? [...(known.linesOf.get(deposit.id) ?? [])];
  running.set(deposit.id, counted);
  if (line.sameAs !== undefined)
    return refuse("doubled", `The same as row ${line.sameAs}. It is counted only if you name this row.`);
  if (counted.some((other) => looksAlike(other, line)))
    return refuse(
      "doubled",
      "Another line of the same amount and days was counted for this deposit. It is counted only if you name this row.",
    );
  counted.push(line);
  return compare(deposit, counted);
}

/** The same payment in two kinds of files has two identities, so equal amounts of the same days need a person. */
const looksAlike = (one: Counted, other: Counted): boolean =>
  one.amountMinor === other.amountMinor &&
  Math.abs(Date.parse(one.bookedOn) - Date.parse(other.bookedOn)) <= LOOKALIKE_DAYS * DAY_MS;

function compare({ amountMinor, currency }: Deposit, counted: readonly Counted[]): Judged {
  const total = counted.reduce((sum, one) => sum + one.amountMinor, 0n);
  const show = (amount: bigint) => `${formatAmount(amount, currency)} ${currency}`;
  if (total === amountMinor)
    return { result: "exact", detail: `Completes the deposit of ${show(amountMinor)}.` };
  return total < amountMinor
    ? {
        result: "partial",
        detail: `${show(total)} of ${show(amountMinor)}; ${show(amountMinor - total)} are missing.`,
      }
    : {
        result: "over",
        detail: `${show(total)} for ${show(amountMinor)}; ${show(total - amountMinor)} too much.`,
      };
}

const refuse = (result: MatchResult, detail: string): Judged => ({ result, detail });

export const isMatched = (result: MatchResult): result is MatchedResult =>
  (MATCHED_RESULTS as readonly string[]).includes(result);
