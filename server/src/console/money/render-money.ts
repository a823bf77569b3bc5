import type { Proposal } from "../../wallet/proposals/proposal.ts";
import type { MovementRow } from "../../wallet/queries.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { environmentOf, here } from "../../web/pages/here.ts";
import { csvLink, linkButton } from "../../web/parts/button.ts";
import { idText } from "../../web/parts/copy.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { money, moneyText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { type Column, twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import { wordChip } from "../plain-word.ts";
import { type ConsoleContext, may } from "../session.ts";
import type { MoneyData } from "./load-money.ts";
import { movementFilters } from "./movement-filter.ts";

/** What waits for a second person, then what was credited and debited, over all resellers. */
export const renderMoney = (data: MoneyData, ctx: ConsoleContext): PageContent => ({
  title: "Money",
  subtitle: "What the staff and the command credited and debited, over all resellers.",
  ...(may(ctx, "wallets.manage")
    ? { actions: linkButton("Move money", here(ctx, "/money/new"), { kind: "main" }) }
    : {}),
  body: stack(waitingPanel(data, ctx), movementsPanel(data, ctx)),
});

const waitingPanel = ({ waiting, emails, names }: MoneyData, ctx: ConsoleContext): Html =>
  tablePanel({
    title: "Waiting for approval",
    aside: html`<a class="link" href="${here(ctx, "/money/proposals")}">Decided and expired</a>`,
    caption: "Proposals that wait for a second person",
    rows: waiting,
    columns: [
      ...proposalColumns(names, ctx),
      {
        head: "Proposed",
        cell: ({ proposedBy, proposedAt }) =>
          twoLines(time(proposedAt, ctx.now), emails.get(proposedBy) ?? proposedBy),
      },
      { head: "Expires", cell: ({ expiresAt }) => time(expiresAt, ctx.now) },
      {
        head: html`<span class="hidden">Actions</span>`,
        cell: (proposal) =>
          html`<a class="link" href="${here(ctx, `/money/proposals/${proposal.id}`)}">${actionOf(proposal, ctx)}</a>`,
      },
    ],
    empty: emptyState(
      "Nothing waits",
      "A movement above the limit of CONSOLE_DUAL_CONTROL_ABOVE waits here until another person approves it.",
    ),
  });

/** The word for what this person can do with it. */
const actionOf = ({ proposedBy }: Proposal, ctx: ConsoleContext): string => {
  if (!may(ctx, "wallets.manage")) return "Open";
  return proposedBy === ctx.session.account.accountId ? "Withdraw" : "Approve";
};

/** Which wallet, what, why: the first columns of every list of proposals. */
export const proposalColumns = (
  names: ReadonlyMap<string, string>,
  ctx: ConsoleContext,
): Column<Proposal>[] => [
  {
    head: "Reseller",
    wraps: true,
    cell: ({ resellerId, environment }) =>
      twoLines(
        html`<a class="link" href="${href(`/resellers/${resellerId}`, environment === "test" ? { env: "test" } : {})}">${names.get(resellerId) ?? resellerId}</a>`,
        idText(resellerId, { short: true }),
      ),
  },
  { head: "Movement", cell: ({ direction }) => direction },
  { head: "Amount", numeric: true, cell: ({ amountMinor, currency }) => money(amountMinor, currency) },
  {
    head: "Note",
    wraps: true,
    cell: ({ note, id }) => html`<a class="link" href="${here(ctx, `/money/proposals/${id}`)}">${note}</a>`,
  },
];

const movementsPanel = ({ movements, asked }: MoneyData, ctx: ConsoleContext): Html =>
  tablePanel<MovementRow>({
    title: "Movements",
    caption: "Movements",
    aside:
      movements.data.length === 0 ? undefined : csvLink(here(ctx, "/money.csv", asked.given), "Export CSV"),
    filters: filterBar({
      action: "/money",
      filters: movementFilters(asked),
      ...(environmentOf(ctx) === "test" ? { keep: { env: "test" } } : {}),
    }),
    rows: movements.data,
    columns: [
      { head: "When", cell: ({ createdAt }) => time(createdAt, ctx.now) },
      {
        head: "Reseller",
        wraps: true,
        cell: ({ resellerId, resellerName }) =>
          html`<a class="link" href="${here(ctx, `/resellers/${resellerId}`)}">${resellerName}</a>`,
      },
      { head: "Reason", cell: ({ type }) => wordChip(type, type === "deposit" ? "good" : "warn") },
      {
        head: "Amount",
        numeric: true,
        cell: ({ amountMinor, currency }) => money(amountMinor, currency),
      },
      {
        head: "Balance after",
        numeric: true,
        cell: ({ balanceAfterMinor, currency }) => money(balanceAfterMinor, currency),
      },
      { head: "Note", wraps: true, cell: ({ note }) => note ?? html`<span class="quiet">none</span>` },
      { head: "Entry", cell: ({ id }) => idText(id, { short: true }) },
    ],
    empty: emptyState(
      Object.keys(asked.given).length > 0 ? "No movement matches these filters" : "No movements yet",
      may(ctx, "wallets.manage")
        ? "Choose Move money to credit a wallet. Payments for orders and refunds are in each reseller's statement."
        : "Credits and debits by the operator appear here.",
    ),
    pages: {
      path: here(ctx, "/money", asked.given),
      next: movements.nextCursor,
      hasFirst: ctx.query.cursor !== undefined,
      shown: `${movements.data.length} ${movements.data.length === 1 ? "movement" : "movements"}`,
    },
  });

/** `credit of 1,000.00 USD`. */
export const movementText = ({
  direction,
  amountMinor,
  currency,
}: Pick<Proposal, "direction" | "amountMinor" | "currency">): string =>
  `${direction} of ${moneyText(amountMinor, currency)}`;
