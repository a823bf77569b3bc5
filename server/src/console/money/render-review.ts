import { hasFreshProof } from "../../accounts/sessions/session-life.ts";
import type { MovementPreview } from "../../wallet/proposals/request-movement.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { confirm } from "../../web/parts/confirm.ts";
import { moneyText } from "../../web/parts/money.ts";
import { type Html, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import type { ConsoleContext } from "../session.ts";
import type { TypedMovement } from "./movement-form.ts";

/** Says what will happen to the money before it happens. */
export function renderReview(
  preview: MovementPreview,
  resellerName: string,
  typed: TypedMovement,
  ctx: ConsoleContext,
): PageContent {
  const { direction, amountMinor, currency, environment, resellerId, approvalAboveMinor } = preview;
  const amount = moneyText(amountMinor, currency);
  const isProposal = approvalAboveMinor !== undefined;
  const query = { reseller: resellerId, ...(environment === "test" ? { env: "test" } : {}) };
  const verb = isProposal ? `Propose ${direction}` : direction === "credit" ? "Credit" : "Debit";
  return {
    title: isProposal ? `Propose this ${direction}?` : `${verb} this wallet?`,
    crumbs: [
      { label: "Money", href: here(ctx, "/money") },
      { label: "Move money", href: href("/money/new", query) },
    ],
    body: confirm({
      title: `${verb} ${amount}`,
      consequences: [
        ["Reseller", `${resellerName}, ${environment} wallet`],
        [
          "Balance",
          html`${balanceSentence(preview)}${isProposal ? " That happens when another person approves it. Until then nothing changes." : " This happens at once."}`,
        ],
        ...(isProposal
          ? [
              [
                "Second person",
                `Above ${moneyText(approvalAboveMinor, currency)} another person has to approve. You cannot approve it yourself. It expires after 7 days.`,
              ] as const,
            ]
          : []),
        [
          "Orders and codes",
          "Orders that exist and their codes do not change. New orders can spend the balance that is there then.",
        ],
        [
          "Note",
          html`${typed.note}<br><span class="quiet">The reseller sees it in its statement. It cannot be changed later.</span>`,
        ],
        ...(hasFreshProof(ctx.session.account, ctx.now)
          ? []
          : [["Confirmation", "You will be asked to confirm that it is you."] as const]),
      ],
      fields: carried(typed),
      hidden: ctx.hidden({ once: true }),
      action: here(ctx, "/money/movements"),
      verb,
      cancelHref: here(ctx, "/money"),
      isDestructive: direction === "debit",
    }),
  };
}

const carried = (typed: TypedMovement): Html[] =>
  Object.entries(typed).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

/** The balance before and after, as one sentence. */
export const balanceSentence = ({
  balanceBeforeMinor,
  balanceAfterMinor,
  currency,
}: Pick<MovementPreview, "balanceBeforeMinor" | "balanceAfterMinor" | "currency">): string =>
  `The balance is ${moneyText(balanceBeforeMinor, currency)} now and becomes ${moneyText(balanceAfterMinor, currency)}.`;
