import { isPermitted } from "../../accounts/permissions.ts";
import { DEPOSIT_STATUSES, type Deposit, type DepositStatus } from "../../deposits/deposit.ts";
import { type DepositInstructions, instructionsFor } from "../../deposits/instructions.ts";
import type { DepositList } from "../../deposits/list-deposits.ts";
import { showReference } from "../../deposits/reference.ts";
import { DEPOSIT_NOTE_MAX_CHARACTERS } from "../../deposits/request-deposit.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { money, moneyText } from "../../web/parts/money.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { facts, panel, stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { BASE, type DashboardContext, environmentOf, here, placed } from "../session.ts";

export const DEPOSITS = `${BASE}/deposits`;
const AMOUNT_MAX_CHARACTERS = 24;

export const depositForm = defineForm({
  amount: textField({
    label: "Amount",
    hint: "In the currency of the wallet, such as 500.00.",
    required: true,
    inputmode: "decimal",
    maxLength: AMOUNT_MAX_CHARACTERS,
  }),
  note: textField({
    label: "Note",
    hint: "For yourself. The operator sees it too.",
    maxLength: DEPOSIT_NOTE_MAX_CHARACTERS,
  }),
});

export type DepositsData = { currency: string; status: DepositStatus | undefined; page: DepositList };

/** The deposits, and the form for a new one. */
export function renderDeposits(
  { currency, status, page }: DepositsData,
  state: FormState,
  ctx: DashboardContext,
): PageContent {
  return {
    title: "Deposits",
    subtitle: "Request a deposit, pay it with its reference, and it is credited when it has arrived.",
    body: stack(
      isPermitted(ctx.session.account, "wallet.deposit") ? requestPanel(currency, state, ctx) : undefined,
      tablePanel<Deposit>({
        title: "Your deposits",
        caption: "Deposits",
        rows: page.data,
        filters: filterBar({
          action: placed(ctx, DEPOSITS),
          keep: environmentOf(ctx) === "test" ? { env: "test" } : {},
          filters: [
            {
              kind: "select",
              name: "status",
              label: "Status",
              value: status ?? "",
              options: DEPOSIT_STATUSES.map((one) => [one, one] as const),
            },
          ],
        }),
        columns: [
          { head: "Status", cell: (row) => chip(row.status) },
          {
            head: "Reference",
            cell: (row) =>
              html`<a class="link mono" href="${here(ctx, `${DEPOSITS}/${row.id}`)}">${showReference(row.reference)}</a>`,
          },
          { head: "Note", cell: (row) => row.note ?? html`<span class="quiet">–</span>` },
          { head: "Requested", cell: (row) => time(row.createdAt, ctx.now) },
          { head: "Amount", numeric: true, cell: (row) => money(row.amountMinor, row.currency) },
          {
            head: "Received",
            numeric: true,
            cell: (row) =>
              row.receivedMinor === null
                ? html`<span class="quiet">–</span>`
                : money(row.receivedMinor, row.currency),
          },
        ],
        empty: emptyState("No deposits yet", "Request one to get a reference and the payment instructions."),
        pages: {
          path: here(ctx, status === undefined ? DEPOSITS : `${DEPOSITS}?status=${status}`),
          next: page.nextCursor,
          hasFirst: ctx.query.cursor !== undefined,
        },
      }),
    ),
  };
}

const requestPanel = (currency: string, state: FormState, ctx: DashboardContext): Html =>
  panel(
    { title: "Request a deposit" },
    stack(
      environmentOf(ctx) === "test"
        ? html`<p>The sandbox credits a deposit by itself within seconds. Do not send money for it.</p>`
        : html`<p>Your wallet is in ${currency}. You get a reference for your payment. No money moves yet.</p>`,
      depositForm.render({
        action: here(ctx, DEPOSITS),
        hidden: ctx.hidden({ once: true }),
        state,
        submit: "Request deposit",
      }),
    ),
  );

/** One deposit: how to pay it, and what became of it. */
export function renderDeposit(
  deposit: Deposit,
  texts: DepositInstructions,
  ctx: DashboardContext,
): PageContent {
  const { status, currency, amountMinor, receivedMinor, reference } = deposit;
  return {
    title: `Deposit of ${moneyText(amountMinor, currency)}`,
    subtitle: chip(status),
    crumbs: [{ label: "Deposits", href: here(ctx, DEPOSITS) }],
    body: stack(
      status === "rejected" ? notice("bad", "This deposit was rejected", deposit.reason ?? "") : undefined,
      status === "requested" ? payPanel(deposit, texts) : undefined,
      panel(
        { title: "Details" },
        facts([
          ["Id", idText(deposit.id)],
          ["Reference", idText(reference)],
          ["Requested", html`${time(deposit.createdAt, ctx.now)}, ${moneyText(amountMinor, currency)}`],
          ...(deposit.note === null ? [] : [["Note", deposit.note] as const]),
          ...(receivedMinor === null || deposit.receivedAt === null
            ? []
            : [
                [
                  "Received",
                  html`${time(deposit.receivedAt, ctx.now)}, ${moneyText(receivedMinor, currency)}`,
                ] as const,
              ]),
          ...(deposit.creditedAt === null ? [] : [["Credited", time(deposit.creditedAt, ctx.now)] as const]),
          ...(deposit.entryId === null ? [] : [["Wallet entry", idText(deposit.entryId)] as const]),
          ...(deposit.rejectedAt === null ? [] : [["Rejected", time(deposit.rejectedAt, ctx.now)] as const]),
        ]),
      ),
    ),
  };
}

const payPanel = (deposit: Deposit, texts: DepositInstructions): Html =>
  panel(
    { title: "Payment instructions" },
    stack(
      instructionsFor(texts, deposit)
        .split("\n")
        .map((line) => html`<p>${line}</p>`),
      facts([
        ["Amount", moneyText(deposit.amountMinor, deposit.currency)],
        ["Reference", idText(deposit.reference)],
      ]),
      html`<p class="quiet">Put the reference into the remittance text. Spaces and lower case do no harm. What arrives is credited, also when it is another amount.</p>`,
    ),
  );
