import type { DepositLine } from "../../../deposits/get-deposit.ts";
import { showReference } from "../../../deposits/reference.ts";
import { fields } from "../../output/fields.ts";
import { showAmount, showMoney, showTime } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import type { DepositJson } from "./deposit-json.ts";

export function showDeposits({
  data,
  hasMore,
}: {
  data: (DepositJson & { resellerName: string })[];
  hasMore: boolean;
}): string {
  if (data.length === 0)
    return "No deposits. A reseller requests one in its dashboard or with POST /v1/deposits.";
  const rows = data.map((row) => [
    row.id,
    showTime(row.createdAt),
    row.status,
    showAmount(row.amount, row.currency),
    row.receivedAmount === undefined ? "" : showAmount(row.receivedAmount, row.currency),
    row.currency,
    showReference(row.reference),
    row.resellerName,
  ]);
  const columns = [
    "ID",
    "REQUESTED (UTC)",
    "STATUS",
    { heading: "AMOUNT", right: true },
    { heading: "RECEIVED", right: true, optional: true },
    "CURRENCY",
    "REFERENCE",
    { heading: "RESELLER", cut: true },
  ] as const;
  return [table(columns, rows), ...(hasMore ? ["", "More deposits exist: use --limit."] : [])].join("\n");
}

export function showDeposit(deposit: DepositJson & { bankLines?: DepositLine[] }): string {
  const { amount, currency, receivedAmount } = deposit;
  const facts = fields([
    ["Deposit", deposit.id],
    ["Status", deposit.status],
    ["Requested", showMoney(amount, currency)],
    ["Received", receivedAmount === undefined ? undefined : showMoney(receivedAmount, currency)],
    ["Difference", differenceOf(deposit)],
    ["Reference", showReference(deposit.reference)],
    ["Reseller", deposit.resellerId],
    ["Environment", deposit.environment],
    ["Note", deposit.note],
    ["Reason", deposit.reason],
    ["Entry", deposit.entryId],
    ["Requested at", showTime(deposit.createdAt)],
    ["Received at", deposit.receivedAt && showTime(deposit.receivedAt)],
    ["Credited at", deposit.creditedAt && showTime(deposit.creditedAt)],
    ["Rejected at", deposit.rejectedAt && showTime(deposit.rejectedAt)],
  ]);
  const lines = deposit.bankLines ?? [];
  if (lines.length === 0) return facts;
  const rows = lines.map((line) => [
    line.bookedOn,
    showMoney(line.amount, line.currency),
    line.payer ?? "",
    line.text,
  ]);
  const columns = [
    "BOOKED",
    { heading: "AMOUNT", right: true },
    "PAYER",
    { heading: "TEXT", cut: true },
  ] as const;
  return `${facts}\n\n${table(columns, rows)}`;
}

function differenceOf({ amount, receivedAmount, currency }: DepositJson): string | undefined {
  if (receivedAmount === undefined || receivedAmount === amount) return undefined;
  const by = showMoney(Math.abs(receivedAmount - amount), currency);
  return receivedAmount < amount ? `${by} less than requested` : `${by} more than requested`;
}
