import { DEPOSIT_STATUSES, type Deposit, type DepositStatus } from "../../deposits/deposit.ts";
import {
  findDeposit,
  findWaitingProposal,
  listAnyDepositRows,
  type NamedDeposit,
} from "../../deposits/deposit-queries.ts";
import { type DepositLine, findDepositLines } from "../../deposits/get-deposit.ts";
import { type Job, listJobs } from "../../jobs/list-jobs.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import { listWaiting } from "../../wallet/proposals/proposal.ts";
import { approvalAbove } from "../../wallet/proposals/request-movement.ts";
import { environmentOf } from "../../web/pages/here.ts";
import { loadMoneyOf, type MoneyOf } from "../money/load-money.ts";
import type { ConsoleContext, ConsoleDeps } from "../session.ts";

const PER_PAGE = 50;
const IMPORTS_SHOWN = 5;
const DEPOSIT_ID = /^dep_[0-9a-z]{26}$/;

export type DepositsData = {
  status: DepositStatus | undefined;
  rows: NamedDeposit[];
  nextCursor: string | undefined;
  imports: readonly Job[];
  /** The proposals whose credit waits for a second person, by their deposits. */
  waiting: ReadonlyMap<string | null, string>;
};

export async function loadDeposits({ db }: ConsoleDeps, ctx: ConsoleContext): Promise<DepositsData> {
  const status = DEPOSIT_STATUSES.find((known) => known === ctx.query.status);
  const before = ctx.query.cursor || undefined;
  if (before !== undefined && !DEPOSIT_ID.test(before))
    throw new Problem("invalid_cursor", "The address of this page is not valid. Start with the first page.");
  const [rows, imports, waiting] = await Promise.all([
    listAnyDepositRows(db, environmentOf(ctx), { status, before, limit: PER_PAGE + 1 }),
    listJobs(db, { kinds: ["import_deposits"], limit: IMPORTS_SHOWN }),
    listWaiting(db, ctx.now),
  ]);
  const shown = rows.slice(0, PER_PAGE);
  return {
    status,
    rows: shown,
    nextCursor: rows.length > PER_PAGE ? shown.at(-1)?.id : undefined,
    imports: imports.data,
    waiting: new Map(waiting.map(({ id, depositId }) => [depositId, id])),
  };
}

export type DepositData = MoneyOf & {
  deposit: Deposit;
  lines: readonly DepositLine[];
  /** The proposal that waits for a second person. */
  proposalId: string | undefined;
  /** Whether the credit of what was received takes two people. */
  takesTwo: boolean;
};

export async function loadDeposit(
  { db, dualControl }: ConsoleDeps,
  ctx: ConsoleContext,
): Promise<DepositData> {
  const id = ctx.params.id ?? "";
  const deposit = DEPOSIT_ID.test(id) ? await findDeposit(db, id) : undefined;
  if (!deposit) throw notFound();
  const [money, lines, proposal] = await Promise.all([
    loadMoneyOf(db, deposit.resellerId, deposit.environment),
    findDepositLines(db, id),
    findWaitingProposal(db, id, ctx.now),
  ]);
  const amountMinor = deposit.receivedMinor ?? deposit.amountMinor;
  const above = approvalAbove(dualControl, deposit, deposit.currency, amountMinor);
  return { ...money, deposit, lines, proposalId: proposal?.id, takesTwo: above !== undefined };
}
