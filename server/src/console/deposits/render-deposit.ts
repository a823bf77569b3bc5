import type { Deposit } from "../../deposits/deposit.ts";
import type { DepositLine } from "../../deposits/get-deposit.ts";
import { showReference } from "../../deposits/reference.ts";
import { REASON_MAX_CHARACTERS } from "../../deposits/reject-deposit.ts";
import { formatAmount } from "../../lib/money.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { button } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { money, moneyText } from "../../web/parts/money.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { columns, facts, panel, stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { balanceSentence } from "../money/render-review.ts";
import { type ConsoleContext, may } from "../session.ts";
import type { DepositData } from "./load-deposits.ts";

export const receiveForm = defineForm({
  amount: textField({
    label: "Amount",
    hint: "What arrived. It is what will be credited.",
    required: true,
    inputmode: "decimal",
    maxLength: 24,
  }),
});

export const rejectForm = defineForm({
  reason: textField({
    label: "Reason",
    hint: "The reseller reads it.",
    required: true,
    maxLength: REASON_MAX_CHARACTERS,
  }),
});

/** One deposit, what the bank said about it, and what this person can do with it now. */
export function renderDeposit(data: DepositData, ctx: ConsoleContext, state?: FormState): PageContent {
  const { deposit, reseller, lines } = data;
  const refused =
    state?.formError === undefined ? undefined : notice("bad", "Nothing was done", state.formError);
  return {
    title: `Deposit of ${moneyText(deposit.amountMinor, deposit.currency)}`,
    subtitle: html`${chip(deposit.status)} ${reseller.name}, ${deposit.environment}`,
    crumbs: [{ label: "Deposits", href: here(ctx, "/deposits") }],
    body: stack(
      refused,
      columns(
        [...decisionPanels(data, ctx, state), lines.length === 0 ? undefined : linesPanel(lines)],
        [panel({ title: "Deposit" }, facts(factsOf(data, ctx)))],
      ),
    ),
  };
}

function factsOf({ deposit, reseller }: DepositData, ctx: ConsoleContext): [string, HtmlValue][] {
  const list: [string, HtmlValue][] = [
    ["Id", idText(deposit.id, { short: true })],
    ["Reference", html`<span class="mono">${showReference(deposit.reference)}</span>`],
    ["Reseller", html`<a class="link" href="${here(ctx, `/resellers/${reseller.id}`)}">${reseller.name}</a>`],
    ...arrivalFacts(deposit, ctx),
  ];
  if (deposit.creditedAt !== null) list.push(["Credited", time(deposit.creditedAt, ctx.now)]);
  if (deposit.entryId !== null) list.push(["Entry", idText(deposit.entryId, { short: true })]);
  if (deposit.rejectedAt !== null) list.push(["Rejected", time(deposit.rejectedAt, ctx.now)]);
  if (deposit.reason !== null) list.push(["Reason", deposit.reason]);
  return list;
}

/** What was announced, and what arrived. */
export function arrivalFacts(deposit: Deposit, ctx: ConsoleContext): [string, HtmlValue][] {
  const { currency, amountMinor, receivedMinor, receivedAt, note } = deposit;
  return [
    ["Requested", html`${time(deposit.createdAt, ctx.now)}, ${moneyText(amountMinor, currency)}`],
    ...(note === null ? [] : [["Note of the reseller", note] as [string, HtmlValue]]),
    ...(receivedMinor === null || receivedAt === null
      ? []
      : [
          [
            "Received",
            html`${time(receivedAt, ctx.now)}, ${moneyText(receivedMinor, currency)}, ${deposit.receivedByHand ? "by a person" : "from a bank statement"}`,
          ] as [string, HtmlValue],
        ]),
  ];
}

function decisionPanels(data: DepositData, ctx: ConsoleContext, state: FormState | undefined): HtmlValue[] {
  const { deposit } = data;
  if (deposit.status === "credited")
    return [
      panel({ title: "Credited" }, "The money is in the wallet. The entry is in the reseller's statement."),
    ];
  if (deposit.status === "rejected") return [panel({ title: "Rejected" }, "No money has moved.")];
  if (!may(ctx, "deposits.manage"))
    return [panel({ title: "Open" }, "An admin or someone of finance receives and credits it.")];
  return [
    deposit.receivedMinor === null ? undefined : creditPanel(data, deposit.receivedMinor, ctx),
    deposit.receivedMinor === null || deposit.receivedByHand ? receivePanel(data, ctx, state) : undefined,
    rejectPanel(data, ctx, state),
  ];
}

function creditPanel(data: DepositData, amountMinor: bigint, ctx: ConsoleContext): Html {
  const { deposit, wallet, proposalId, takesTwo } = data;
  const { currency } = deposit;
  if (proposalId !== undefined)
    return panel(
      { title: "Waiting for another person" },
      html`<p>The credit waits for approval: <a class="link" href="${here(ctx, `/money/proposals/${proposalId}`)}">open the proposal</a>.</p>`,
    );
  const difference =
    amountMinor === deposit.amountMinor
      ? undefined
      : html`<p>${moneyText(deposit.amountMinor, currency)} was requested, and ${moneyText(amountMinor, currency)} arrived. What arrived is credited.</p>`;
  const sentence = balanceSentence({
    balanceBeforeMinor: wallet.balanceMinor,
    balanceAfterMinor: wallet.balanceMinor + amountMinor,
    currency,
  });
  return panel(
    { title: "Credit" },
    stack(
      difference,
      takesTwo
        ? html`<p>${sentence} This amount takes two people: it happens once another person has approved it.</p>`
        : html`<p>${sentence} This happens at once and cannot be undone. The reseller is told.</p>`,
      actionForm(deposit.id, "credit", takesTwo ? "Propose credit" : "Credit", ctx),
    ),
  );
}

function receivePanel({ deposit }: DepositData, ctx: ConsoleContext, state: FormState | undefined): Html {
  const { amountMinor, receivedMinor, currency } = deposit;
  const typed = formatAmount(receivedMinor ?? amountMinor, currency);
  return panel(
    { title: receivedMinor === null ? "Receive" : "Correct the amount" },
    stack(
      html`<p>Say what arrived at the bank. No money moves yet.</p>`,
      receiveForm.render({
        action: here(ctx, `/deposits/${deposit.id}/receive`),
        hidden: ctx.hidden(),
        state: ownState(state, "amount") ?? receiveForm.start({ amount: typed }),
        submit: "Receive",
        id: "receive",
      }),
    ),
  );
}

const rejectPanel = ({ deposit }: DepositData, ctx: ConsoleContext, state: FormState | undefined): Html =>
  panel(
    { title: "Reject" },
    stack(
      html`<p>Nothing is credited, and the deposit is closed. Money that has arrived goes back outside of Scrip.</p>`,
      rejectForm.render({
        action: here(ctx, `/deposits/${deposit.id}/reject`),
        hidden: ctx.hidden(),
        state: ownState(state, "reason") ?? rejectForm.start(),
        submit: "Reject",
        isDestructive: true,
        id: "reject",
      }),
    ),
  );

/** What was typed, for the form that it was typed into. */
const ownState = (state: FormState | undefined, field: string): FormState | undefined =>
  state && Object.hasOwn(state.typed, field) ? { ...state, formError: undefined } : undefined;

const actionForm = (id: string, verb: string, label: string, ctx: ConsoleContext): Html =>
  html`<form class="form" method="post" action="${here(ctx, `/deposits/${id}/${verb}`)}">${ctx.hidden()}<div class="row">${button(label, { kind: "main" })}</div></form>`;

/** What the bank said about a deposit. */
export const linesPanel = (lines: readonly DepositLine[]): Html =>
  tablePanel<DepositLine>({
    title: "Bank lines",
    caption: "Bank lines",
    rows: lines,
    columns: [
      { head: "Booked", cell: (line) => line.bookedOn },
      { head: "Payer", cell: (line) => line.payer ?? html`<span class="quiet">–</span>` },
      { head: "Text", wraps: true, cell: (line) => line.text },
      ...(lines.some(({ account }) => account !== undefined)
        ? [{ head: "Account", cell: ({ account }: DepositLine) => account }]
        : []),
      { head: "Amount", numeric: true, cell: (line) => money(BigInt(line.amount), line.currency) },
    ],
    empty: emptyState("No bank lines", "A person received this deposit."),
  });
