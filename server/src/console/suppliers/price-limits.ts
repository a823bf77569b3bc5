import { rehearse } from "../../db/rehearse.ts";
import { sayPercent } from "../../lib/percent.ts";
import { OVERCHARGE_TIMES_MAX, setPriceLimits } from "../../suppliers/overcharges/price-limits.ts";
import type { SupplierDetails } from "../../suppliers/supplier-health.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { moneyText } from "../../web/parts/money.ts";
import { facts, panel } from "../../web/parts/panel.ts";
import { time } from "../../web/parts/time.ts";
import { type Html, html } from "../../web/template/html.ts";
import { sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace, may, provedBy } from "../session.ts";

const limitsForm = defineForm({
  headroom: textField({
    label: "Headroom",
    required: true,
    maxLength: 8,
    hint: "How far above its cost the supplier may charge a unit, such as 2%. It counts where the cost comes from the supplier's catalog. A sale never loses more than you allow.",
  }),
  overchargeTimes: textField({
    label: "Overcharges in 24 hours",
    required: true,
    maxLength: 3,
    inputmode: "numeric",
    hint: `Each overcharge pauses its route. So many within 24 hours disable the supplier, from 1 to ${OVERCHARGE_TIMES_MAX}.`,
  }),
  overchargeAbove: textField({
    label: "Charged above cost",
    required: true,
    maxLength: 8,
    hint: "A single charge that is further above the cost disables the supplier at once, such as 20%.",
  }),
});

const FIELDS = {
  "--headroom": { name: "headroom", label: "Headroom" },
  "--overcharge-times": { name: "overchargeTimes", label: "Overcharges in 24 hours" },
  "--overcharge-above": { name: "overchargeAbove", label: "Charged above cost" },
};

/** What a supplier may charge above the cost before its routes rest, and before nothing more is bought there. */
export function priceLimitPages(
  face: ConsoleFace,
  deps: ConsoleDeps,
  again: (ctx: ConsoleContext, limits: FormState) => Promise<PageContent>,
): void {
  face.action({
    path: "/suppliers/:id/price-limits",
    permission: "suppliers.manage",
    form: limitsForm,
    async does(limits, ctx) {
      const id = ctx.params.id ?? "";
      await sayRefusal(
        rehearse(deps, (trial) => setPriceLimits(trial, id, limits, byOf(ctx))),
        FIELDS,
      );
      return "Change what this supplier may charge above the cost.";
    },
    async run(limits, ctx) {
      const id = ctx.params.id ?? "";
      await sayRefusal(setPriceLimits(deps, id, limits, provedBy(ctx)), FIELDS);
      return redirect(`/suppliers/${id}`, "The price limits were saved. The next purchase takes them.");
    },
    again: (state, ctx) => again(ctx, state),
  });
}

export function priceLimitsPanel(
  { id, hasOwnStock, guard }: SupplierDetails,
  ctx: ConsoleContext,
  state: FormState | undefined,
): Html | undefined {
  if (hasOwnStock) return undefined;
  const typed = {
    headroom: sayPercent(guard.headroomBp),
    overchargeTimes: String(guard.overchargeTimes),
    overchargeAbove: sayPercent(guard.overchargeAboveBp),
  };
  return panel(
    { title: "Price limits" },
    may(ctx, "suppliers.manage")
      ? limitsForm.render({
          action: `/suppliers/${id}/price-limits`,
          hidden: ctx.hidden(),
          state: state ?? limitsForm.start(typed),
          submit: "Save limits",
          id: "price-limits",
        })
      : facts([
          ["Headroom", typed.headroom],
          ["Overcharges in 24 hours", typed.overchargeTimes],
          ["Charged above cost", typed.overchargeAbove],
        ]),
  );
}

export const DISABLED_REASONS: Readonly<Record<string, string>> = {
  by_hand: "A person switched it off",
  other_currency: "It charged in another currency",
  unreadable_price: "It charged a price that cannot be read",
  large_overcharge: "It charged far more than the cost",
  repeated_overcharges: "It charged more than the limit again and again",
};

/** Why and since when nothing is bought there. */
export function sayDisabled(
  { guard: { disabled }, routes }: SupplierDetails,
  ctx: ConsoleContext,
): Html | undefined {
  if (!disabled) return undefined;
  const { at, reason, purchase } = disabled;
  // A route that was removed since names its product no more.
  const nameOf = (id: string) => routes.find(({ productId }) => productId === id)?.productName ?? id;
  const about =
    purchase === null
      ? undefined
      : html` <a class="link" href="/products/${purchase.productId}">${nameOf(purchase.productId)}</a> was expected to cost ${amountText(purchase.expected)}${
          purchase.charged === null ? undefined : html` and was charged ${amountText(purchase.charged)}`
        }: <a class="link" href="/orders/${purchase.orderId}">line ${purchase.lineIndex + 1}, unit ${purchase.unitIndex + 1}</a> of an order.`;
  return html`<p>${DISABLED_REASONS[reason]}, ${time(at, ctx.now)}.${about}</p>`;
}

const amountText = ({ amount, currency }: { amount: number; currency: string }): string =>
  moneyText(BigInt(amount), currency);
