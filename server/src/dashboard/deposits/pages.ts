import { DEPOSIT_STATUSES } from "../../deposits/deposit.ts";
import { findDeposit } from "../../deposits/deposit-queries.ts";
import { listDeposits } from "../../deposits/list-deposits.ts";
import { requestDeposit } from "../../deposits/request-deposit.ts";
import { parseTypedAmount } from "../../lib/money.ts";
import { notFound } from "../../lib/problem.ts";
import { getWallet } from "../../wallet/get-wallet.ts";
import { refuseAt } from "../../wallet/proposals/request-movement.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { moneyText } from "../../web/parts/money.ts";
import {
  actorOf,
  type DashboardContext,
  type DashboardDeps,
  type DashboardFace,
  here,
  tenantOf,
} from "../session.ts";
import {
  DEPOSITS,
  type DepositsData,
  depositForm,
  renderDeposit,
  renderDeposits,
} from "./render-deposits.ts";

const PER_PAGE = 50;

/** Money on its way to the wallet. Owners and finance request deposits. */
export function depositPages(face: DashboardFace, deps: DashboardDeps): void {
  face.page({
    path: DEPOSITS,
    permission: "wallet.read",
    load: (ctx) => loadDeposits(deps, ctx),
    render: (data, ctx) => renderDeposits(data, depositForm.start(), ctx),
  });
  face.action({
    path: DEPOSITS,
    permission: "wallet.deposit",
    form: depositForm,
    once: true,
    async run({ amount, note }, ctx) {
      const tenant = tenantOf(ctx);
      const { currency } = await getWallet(deps.db, tenant);
      const amountMinor = refuseAt("amount", () => parseTypedAmount(amount.trim(), currency));
      const by = { actor: actorOf(ctx), address: ctx.address };
      const { deposit } = await requestDeposit(deps, tenant, { amountMinor, note }, by);
      return redirect(
        here(ctx, `${DEPOSITS}/${deposit.id}`),
        `Send ${moneyText(deposit.amountMinor, currency)} with this reference.`,
      );
    },
    again: async (state, ctx) => renderDeposits(await loadDeposits(deps, ctx), state, ctx),
  });
  face.page({
    path: `${DEPOSITS}/:id`,
    permission: "wallet.read",
    async load(ctx) {
      const id = ctx.params.id ?? "";
      const deposit = id.includes("\0") ? undefined : await findDeposit(deps.db, id, tenantOf(ctx));
      if (!deposit) throw notFound();
      return deposit;
    },
    render: (deposit, ctx) => renderDeposit(deposit, deps.depositInstructions ?? {}, ctx),
  });
}

async function loadDeposits(deps: DashboardDeps, ctx: DashboardContext): Promise<DepositsData> {
  const tenant = tenantOf(ctx);
  const status = DEPOSIT_STATUSES.find((known) => known === ctx.query.status);
  const [{ currency }, page] = await Promise.all([
    getWallet(deps.db, tenant),
    listDeposits(deps, tenant, { status, cursor: ctx.query.cursor, limit: PER_PAGE }),
  ]);
  return { currency, status, page };
}
