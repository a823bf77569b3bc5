import { showReference } from "../../deposits/reference.ts";
import type { Proposal, ProposalState } from "../../wallet/proposals/proposal.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { button } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { moneyText } from "../../web/parts/money.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { columns, facts, panel, stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { arrivalFacts, linesPanel } from "../deposits/render-deposit.ts";
import { type ConsoleContext, may } from "../session.ts";
import type { ProposalData } from "./load-money.ts";
import { movementText, proposalColumns } from "./render-money.ts";
import { balanceSentence } from "./render-review.ts";

export const rejectForm = defineForm({
  reason: textField({
    label: "Reason",
    required: true,
    maxLength: 500,
    hint: "The person who proposed it sees it.",
  }),
});

const MONEY = { label: "Money", href: "/money" };

/** One proposal, with what its approval would do now, and only those decisions that this person may make. */
export function renderProposal(
  data: ProposalData,
  ctx: ConsoleContext,
  state: FormState = rejectForm.start(),
): PageContent {
  const { proposal, reseller, emails } = data;
  const refused =
    state.formError === undefined ? undefined : notice("bad", "Nothing was done", state.formError);
  return {
    title: `Proposed ${movementText(proposal)}`,
    subtitle: html`${chip(proposal.state)} ${reseller.name}, ${proposal.environment}`,
    crumbs: [{ ...MONEY, href: here(ctx, MONEY.href) }],
    body: stack(
      refused,
      columns(
        [evidencePanels(data, ctx), decisionPanels(data, ctx, state)],
        [
          panel(
            { title: "Proposal" },
            facts([
              ["Id", idText(proposal.id, { short: true })],
              [
                "Reseller",
                html`<a class="link" href="${here(ctx, `/resellers/${reseller.id}`)}">${reseller.name}</a>`,
              ],
              ["Movement", movementText(proposal)],
              ["Note", proposal.note],
              [
                "Proposed",
                html`${time(proposal.proposedAt, ctx.now)} by ${nameOf(emails, proposal.proposedBy)}`,
              ],
              ["Expires", time(proposal.expiresAt, ctx.now)],
              ...(proposal.decidedAt === null
                ? []
                : [
                    [
                      DECIDED[proposal.state],
                      html`${time(proposal.decidedAt, ctx.now)} by ${nameOf(emails, proposal.decidedBy ?? "")}`,
                    ] as const,
                  ]),
              ...(proposal.reason === null ? [] : [["Reason", proposal.reason] as const]),
              ...(proposal.entryId === null
                ? []
                : [["Entry", idText(proposal.entryId, { short: true })] as const]),
            ]),
          ),
        ],
      ),
    ),
  };
}

/** The deposit and the lines of the bank, before the decision about them. */
function evidencePanels({ evidence }: ProposalData, ctx: ConsoleContext): HtmlValue {
  if (!evidence)
    return panel(
      { title: "Evidence" },
      html`<p>A person proposed this by hand, with the note alone. No deposit and no line of a bank statement belongs to it.</p>`,
    );
  const { deposit, lines } = evidence;
  return [
    panel(
      { title: "Evidence" },
      stack(
        facts([
          [
            "Deposit",
            html`<a class="link mono" href="${here(ctx, `/deposits/${deposit.id}`)}">${showReference(deposit.reference)}</a>`,
          ],
          ...arrivalFacts(deposit, ctx),
        ]),
        lines.length > 0
          ? undefined
          : notice(
              "warn",
              "No line of a bank statement",
              "A person said that the payment has arrived. Look at your bank account before you approve.",
            ),
      ),
    ),
    lines.length === 0 ? undefined : linesPanel(lines),
  ];
}

const DECIDED: Readonly<Record<ProposalState, string>> = {
  waiting: "Decided",
  approved: "Approved",
  rejected: "Rejected",
  withdrawn: "Withdrawn",
  expired: "Expired",
};

const nameOf = (emails: ReadonlyMap<string, string>, id: string): string => emails.get(id) ?? id;

function decisionPanels(data: ProposalData, ctx: ConsoleContext, state: FormState): HtmlValue {
  const { proposal } = data;
  if (proposal.state !== "waiting") return panel({ title: "Closed" }, ENDS[proposal.state]);
  if (!may(ctx, "wallets.manage"))
    return panel({ title: "Waiting" }, "An admin or someone of finance other than the proposer decides it.");
  if (proposal.proposedBy === ctx.session.account.accountId)
    return panel(
      { title: "Waiting for another person" },
      stack(
        html`<p>You proposed this, so another admin or someone of finance has to approve it. Nothing happens to the wallet until then.</p>`,
        decisionForm(proposal, "withdraw", "Withdraw", ctx),
      ),
    );
  return [
    approvePanel(data, ctx),
    panel(
      { title: "Reject" },
      stack(
        html`<p>No money moves, and the proposal is closed.</p>`,
        rejectForm.render({
          action: here(ctx, `/money/proposals/${proposal.id}/reject`),
          hidden: ctx.hidden(),
          state: { ...state, formError: undefined },
          submit: "Reject",
          isDestructive: true,
          id: "reject",
        }),
      ),
    ),
  ];
}

/** A debit that the wallet cannot pay is not offered. */
function approvePanel({ proposal, wallet }: ProposalData, ctx: ConsoleContext): Html {
  const { amountMinor, currency, direction } = proposal;
  const change = direction === "credit" ? amountMinor : -amountMinor;
  const balanceAfterMinor = wallet.balanceMinor + change;
  if (balanceAfterMinor < 0n)
    return panel(
      { title: "Approve" },
      html`<p>The balance is ${moneyText(wallet.balanceMinor, currency)}, less than this ${movementText(proposal)}. It cannot be approved until there is enough.</p>`,
    );
  return panel(
    { title: "Approve" },
    stack(
      html`<p>${balanceSentence({ balanceBeforeMinor: wallet.balanceMinor, balanceAfterMinor, currency })} This happens at once and cannot be undone. Both of you are named in the ledger by your ids. The reseller sees the note, and not who you are.</p>`,
      decisionForm(proposal, "approve", "Approve", ctx),
    ),
  );
}

const decisionForm = ({ id }: Proposal, verb: string, label: string, ctx: ConsoleContext): Html =>
  html`<form class="form" method="post" action="${here(ctx, `/money/proposals/${id}/${verb}`)}">${ctx.hidden()}<div class="row">${button(label, { kind: verb === "approve" ? "main" : "danger" })}</div></form>`;

const ENDS: Readonly<Record<Exclude<ProposalState, "waiting">, string>> = {
  approved: "The money has moved. The entry is in the reseller's statement.",
  rejected: "No money has moved.",
  withdrawn: "No money has moved.",
  expired: "Nobody decided it within 7 days. No money has moved. Propose it again if it is still right.",
};

export type ClosedData = {
  page: { data: Proposal[]; nextAfter: string | undefined };
  emails: ReadonlyMap<string, string>;
  names: ReadonlyMap<string, string>;
};

/** Those that nobody can approve any more. */
export const renderClosed = ({ page, emails, names }: ClosedData, ctx: ConsoleContext): PageContent => ({
  title: "Decided and expired proposals",
  crumbs: [{ ...MONEY, href: here(ctx, MONEY.href) }],
  body: tablePanel({
    caption: "Decided and expired proposals",
    rows: page.data,
    columns: [
      { head: "State", cell: ({ state }) => chip(state) },
      ...proposalColumns(names, ctx),
      {
        head: "Proposed",
        cell: ({ proposedAt, proposedBy }) => twoLines(time(proposedAt, ctx.now), nameOf(emails, proposedBy)),
      },
      {
        head: "Decided",
        cell: ({ decidedAt, decidedBy }) =>
          decidedAt === null
            ? html`<span class="quiet">–</span>`
            : twoLines(time(decidedAt, ctx.now), nameOf(emails, decidedBy ?? "")),
      },
    ],
    empty: emptyState("No proposals yet", "Approved, rejected, withdrawn and expired proposals appear here."),
    pages: {
      path: here(ctx, "/money/proposals"),
      next: page.nextAfter,
      hasFirst: ctx.query.cursor !== undefined,
    },
  }),
});
