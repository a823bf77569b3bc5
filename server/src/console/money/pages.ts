import { listResellers } from "../../resellers/list-resellers.ts";
import { previewMovement, requestMovement } from "../../wallet/proposals/request-movement.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { type ActionResult, redirect, showOnce } from "../../web/pages/define-page.ts";
import { environmentOf, here } from "../../web/pages/here.ts";
import { moneyText } from "../../web/parts/money.ts";
import { resellersPanel } from "../resellers/render-resellers.ts";
import { type ConsoleContext, type ConsoleDeps, type ConsoleFace, provedBy } from "../session.ts";
import { loadMoney, loadMoneyOf } from "./load-money.ts";
import { movementsCsv } from "./movement-filter.ts";
import { movementForm, renderMovementForm, type TypedMovement } from "./movement-form.ts";
import { proposalPages } from "./proposal-pages.ts";
import { renderMoney } from "./render-money.ts";
import { balanceSentence, renderReview } from "./render-review.ts";

const RESELLERS_OFFERED = 50;

/** Credits and debits of all wallets, and those that wait for a second person. */
export function moneyPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: "/money",
    permission: "wallets.read",
    load: (ctx) => loadMoney(deps, ctx),
    render: renderMoney,
  });
  face.download({
    path: "/money.csv",
    permission: "wallets.read",
    load: async (ctx) => movementsCsv(deps, ctx),
  });
  face.page({
    path: "/money/new",
    permission: "wallets.manage",
    load: (ctx) => loadForm(deps, ctx),
    render: (page) => page,
  });
  face.action({
    path: "/money/review",
    page: "/money/new",
    permission: "wallets.manage",
    form: movementForm,
    run: async (typed, ctx) => showOnce(await review(deps, typed, ctx)),
    again: (state, ctx) => formOf(deps, state.typed.resellerId?.[0] ?? "", ctx, state),
  });
  face.action({
    path: "/money/movements",
    page: "/money/new",
    permission: "wallets.manage",
    form: movementForm,
    once: true,
    does: (typed, ctx) => foresee(deps, typed, ctx),
    run: (typed, ctx) => move(deps, typed, ctx),
    again: (state, ctx) => formOf(deps, state.typed.resellerId?.[0] ?? "", ctx, state),
  });
  proposalPages(face, deps);
}

/** The form for the reseller in the address; without one, the resellers to choose from. */
async function loadForm(deps: ConsoleDeps, ctx: ConsoleContext): Promise<PageContent> {
  if (ctx.query.reseller) return formOf(deps, ctx.query.reseller, ctx);
  const q = ctx.query.q?.trim() ?? "";
  const page = await listResellers(deps, environmentOf(ctx), {
    ...{ q, cursor: ctx.query.cursor, limit: RESELLERS_OFFERED },
  });
  return {
    title: "Move money",
    subtitle: "Choose the reseller whose wallet you want to credit or debit.",
    crumbs: [{ label: "Money", href: here(ctx, "/money") }],
    body: resellersPanel(page, q, ctx, {
      path: "/money/new",
      hrefOf: ({ id }) => here(ctx, "/money/new", { reseller: id }),
    }),
  };
}

const formOf = async (
  { db }: ConsoleDeps,
  resellerId: string,
  ctx: ConsoleContext,
  state = movementForm.start({ direction: ctx.query.direction === "debit" ? "debit" : "credit" }),
): Promise<PageContent> =>
  renderMovementForm(await loadMoneyOf(db, resellerId, environmentOf(ctx)), state, ctx);

async function foresee(deps: ConsoleDeps, typed: TypedMovement, ctx: ConsoleContext): Promise<string> {
  const environment = environmentOf(ctx);
  const { reseller } = await loadMoneyOf(deps.db, typed.resellerId, environment);
  const preview = await previewMovement(deps, { resellerId: reseller.id, environment }, typed);
  const amount = moneyText(preview.amountMinor, preview.currency);
  const movement = `a ${typed.direction} of ${amount} ${typed.direction === "credit" ? "to" : "from"} ${reseller.name}`;
  return preview.approvalAboveMinor === undefined
    ? `Book ${movement}. ${balanceSentence(preview)}`
    : `Propose ${movement}. Another person has to approve it.`;
}

async function review(deps: ConsoleDeps, typed: TypedMovement, ctx: ConsoleContext): Promise<PageContent> {
  const environment = environmentOf(ctx);
  const { reseller } = await loadMoneyOf(deps.db, typed.resellerId, environment);
  const preview = await previewMovement(deps, { resellerId: reseller.id, environment }, typed);
  return renderReview(preview, reseller.name, typed, ctx);
}

async function move(deps: ConsoleDeps, typed: TypedMovement, ctx: ConsoleContext): Promise<ActionResult> {
  const by = provedBy(ctx);
  const environment = environmentOf(ctx);
  const { reseller } = await loadMoneyOf(deps.db, typed.resellerId, environment);
  const result = await requestMovement(deps, { resellerId: reseller.id, environment }, typed, by);
  if ("proposed" in result)
    return redirect(
      here(ctx, `/money/proposals/${result.proposed.id}`),
      "Proposed. Another person has to approve it.",
    );
  const { balanceMinor, currency } = result.moved;
  const done = typed.direction === "credit" ? "Credited" : "Debited";
  return redirect(
    here(ctx, "/money"),
    `${done}. The balance of ${reseller.name} is ${moneyText(balanceMinor, currency)} now.`,
  );
}
