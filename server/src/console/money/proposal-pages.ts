import { namePeople } from "../../accounts/people/name-people.ts";
import { rehearse } from "../../db/rehearse.ts";
import { openDepositOf } from "../../deposits/credit-deposit.ts";
import { approveProposal, rejectProposal, withdrawProposal } from "../../wallet/proposals/decide-proposal.ts";
import { listClosed } from "../../wallet/proposals/proposal.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { here } from "../../web/pages/here.ts";
import { moneyText } from "../../web/parts/money.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace, provedBy } from "../session.ts";
import { loadProposal, nameResellers } from "./load-money.ts";
import { type ClosedData, rejectForm, renderClosed, renderProposal } from "./render-proposal.ts";

const PATH = "/money/proposals";
const CLOSED_PER_PAGE = 50;

/** Movements that take two people. */
export function proposalPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: PATH,
    permission: "wallets.read",
    load: (ctx) => loadClosed(deps, ctx),
    render: renderClosed,
  });
  face.page({
    path: `${PATH}/:id`,
    permission: "wallets.read",
    load: (ctx) => loadProposal(deps, ctx),
    render: (data, ctx) => renderProposal(data, ctx),
  });
  decisions(face, deps);
}

function decisions(face: ConsoleFace, deps: ConsoleDeps): void {
  const again = async (state: FormState, ctx: ConsoleContext) =>
    renderProposal(await loadProposal(deps, ctx), ctx, state);
  const nothing = defineForm({});
  const approving = { ...deps, openDeposit: openDepositOf(deps.clock) };
  /** What a decision does, if the verb would not refuse it now. */
  const foresee = async (
    verb: string,
    ctx: ConsoleContext,
    decide: (trial: typeof approving) => Promise<unknown>,
  ) => {
    const { proposal, reseller } = await loadProposal(deps, ctx);
    await rehearse(approving, decide);
    const amount = moneyText(proposal.amountMinor, proposal.currency);
    return `${verb} the ${proposal.direction} of ${amount} ${proposal.direction === "credit" ? "to" : "from"} ${reseller.name}.`;
  };
  face.action({
    path: `${PATH}/:id/approve`,
    permission: "wallets.manage",
    form: nothing,
    does: (_values, ctx) => foresee("Approve", ctx, (trial) => approveProposal(trial, idOf(ctx), byOf(ctx))),
    async run(_values, ctx) {
      const { moved } = await approveProposal(approving, idOf(ctx), provedBy(ctx));
      const balance = moneyText(moved.balanceMinor, moved.currency);
      return redirect(here(ctx, `${PATH}/${idOf(ctx)}`), `Approved. The balance is ${balance} now.`);
    },
    again,
  });
  face.action({
    path: `${PATH}/:id/reject`,
    permission: "wallets.manage",
    form: rejectForm,
    does: ({ reason }, ctx) =>
      foresee("Reject", ctx, (trial) => rejectProposal(trial, idOf(ctx), reason, byOf(ctx))),
    async run({ reason }, ctx) {
      await rejectProposal(deps, idOf(ctx), reason, provedBy(ctx));
      return redirect(here(ctx, `${PATH}/${idOf(ctx)}`), "Rejected. No money has moved.");
    },
    again,
  });
  face.action({
    path: `${PATH}/:id/withdraw`,
    permission: "wallets.manage",
    form: nothing,
    does: (_values, ctx) =>
      foresee("Withdraw", ctx, (trial) => withdrawProposal(trial, idOf(ctx), byOf(ctx))),
    async run(_values, ctx) {
      await withdrawProposal(deps, idOf(ctx), provedBy(ctx));
      return redirect(here(ctx, `${PATH}/${idOf(ctx)}`), "Withdrawn. No money has moved.");
    },
    again,
  });
}

const idOf = (ctx: ConsoleContext): string => (ctx.params.id ?? "").replaceAll("\0", "");

async function loadClosed(deps: ConsoleDeps, ctx: ConsoleContext): Promise<ClosedData> {
  const after = ctx.query.cursor?.replaceAll("\0", "");
  const page = await listClosed(deps.db, ctx.now, { after, limit: CLOSED_PER_PAGE });
  const ids = page.data.flatMap(({ proposedBy, decidedBy }) => [proposedBy, decidedBy ?? ""]);
  const [emails, names] = await Promise.all([
    namePeople(deps.db, { kind: "staff" }, ids),
    nameResellers(deps.db, page.data),
  ]);
  return { page, emails, names };
}
