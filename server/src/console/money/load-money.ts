import { namePeople } from "../../accounts/people/name-people.ts";
import type { Queryable } from "../../db/database.ts";
import type { Deposit } from "../../deposits/deposit.ts";
import { findDeposit } from "../../deposits/deposit-queries.ts";
import { type DepositLine, findDepositLines } from "../../deposits/get-deposit.ts";
import type { Tenant } from "../../http/caller.ts";
import { notFound } from "../../lib/problem.ts";
import { findReseller, type ResellerRow } from "../../resellers/queries.ts";
import { getWallet } from "../../wallet/get-wallet.ts";
import { listMovements, type MovementPage } from "../../wallet/list-movements.ts";
import { getProposal, listWaiting, type Proposal } from "../../wallet/proposals/proposal.ts";
import { environmentOf } from "../../web/pages/here.ts";
import type { ConsoleContext, ConsoleDeps } from "../session.ts";
import { type AskedMovements, readMovementFilter } from "./movement-filter.ts";

/** One wallet and whose it is. */
export type MoneyOf = {
  reseller: ResellerRow;
  environment: Tenant["environment"];
  wallet: { balanceMinor: bigint; currency: string };
};

const MOVEMENTS_PER_PAGE = 50;
const STAFF = { kind: "staff" } as const;

export async function loadMoneyOf(
  db: Queryable,
  resellerId: string,
  environment: Tenant["environment"],
): Promise<MoneyOf> {
  const reseller = resellerId.includes("\0") ? undefined : await findReseller(db, resellerId);
  if (!reseller) throw notFound();
  return { reseller, environment, wallet: await getWallet(db, { resellerId, environment }) };
}

export type ProposalData = MoneyOf & {
  proposal: Proposal;
  emails: ReadonlyMap<string, string>;
  /** What a second person judges the credit of a deposit by. */
  evidence: { deposit: Deposit; lines: readonly DepositLine[] } | undefined;
};

/** A proposal with the balance that it would change now, and the people behind it. */
export async function loadProposal(deps: ConsoleDeps, ctx: ConsoleContext): Promise<ProposalData> {
  const id = ctx.params.id ?? "";
  if (id.includes("\0")) throw notFound();
  const proposal = await getProposal(deps.db, id, ctx.now);
  const money = await loadMoneyOf(deps.db, proposal.resellerId, proposal.environment);
  const people = [proposal.proposedBy, proposal.decidedBy ?? ""];
  const { depositId } = proposal;
  const [emails, deposit, lines] = await Promise.all([
    namePeople(deps.db, STAFF, people),
    depositId === null ? undefined : findDeposit(deps.db, depositId),
    depositId === null ? [] : findDepositLines(deps.db, depositId),
  ]);
  return { ...money, proposal, emails, evidence: deposit && { deposit, lines } };
}

export type MoneyData = {
  asked: AskedMovements;
  movements: MovementPage;
  waiting: readonly Proposal[];
  emails: ReadonlyMap<string, string>;
  names: ReadonlyMap<string, string>;
};

export async function loadMoney(deps: ConsoleDeps, ctx: ConsoleContext): Promise<MoneyData> {
  const environment = environmentOf(ctx);
  const asked = readMovementFilter(ctx);
  const page = { filters: asked.filters, cursor: ctx.query.cursor, limit: MOVEMENTS_PER_PAGE };
  const [movements, waiting] = await Promise.all([
    listMovements(deps, environment, page),
    listWaiting(deps.db, ctx.now),
  ]);
  const ids = waiting.map(({ proposedBy }) => proposedBy);
  const [emails, names] = await Promise.all([
    namePeople(deps.db, STAFF, ids),
    nameResellers(deps.db, waiting),
  ]);
  return { asked, movements, waiting, emails, names };
}

/** Few proposals wait at a time. */
export async function nameResellers(
  db: Queryable,
  proposals: readonly Proposal[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(proposals.map(({ resellerId }) => resellerId))];
  const rows = await Promise.all(ids.map((id) => findReseller(db, id)));
  return new Map(rows.flatMap((row) => (row ? [[row.id, row.name] as const] : [])));
}
