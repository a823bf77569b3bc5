import type { UnitRow } from "../../fulfilment/operate/describe-queries.ts";
import { decideAction, type OrderAction, refundableKinds } from "../../fulfilment/operate/order-actions.ts";
import type { OrderState } from "../../fulfilment/operate/order-state.ts";
import type { UnitRef } from "../../fulfilment/operate/unit-choice.ts";
import type { FormState } from "../../web/form/define-form.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { button, linkButton } from "../../web/parts/button.ts";
import { shortId } from "../../web/parts/copy.ts";
import { moneyText } from "../../web/parts/money.ts";
import { notice } from "../../web/parts/notice.ts";
import { facts, panel, row, stack } from "../../web/parts/panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import type { ConsoleContext } from "../session.ts";
import { actionForm, unitText, writeExpected } from "./action-form.ts";
import { consequencesOf, type Effect, unitsText } from "./consequences.ts";
import type { OrderData } from "./load-order.ts";
import { ACTION_LABELS, actionHref, ORDERS_PATH, orderHref } from "./order-paths.ts";

/** A decision: what will happen, for which units, and why. Or why it cannot be decided now. */
export function renderAction(
  action: OrderAction,
  data: OrderData,
  ctx: ConsoleContext,
  state: FormState,
  chosen: readonly UnitRef[] = [],
): PageContent {
  const { order } = data.described;
  const label = ACTION_LABELS[action];
  const offer = decideAction(data.described.state, action);
  const error = state.formError ?? state.errors.units;
  const base = {
    title: `${label} ${order.id}`,
    heading: html`${label} <span class="id">${shortId(order.id)}</span>`,
    crumbs: [
      { label: "Orders", href: here(ctx, ORDERS_PATH) },
      { label: shortId(order.id), href: orderHref(ctx, order.id) },
    ],
  };
  if (!offer.isOffered)
    return {
      ...base,
      body: stack(
        notice(
          error === undefined ? "warn" : "bad",
          "This was not done",
          html`<p>${error ?? offer.because}</p>`,
        ),
        row(linkButton("Back to the order", orderHref(ctx, order.id), { kind: "main" })),
      ),
    };
  const effect = effectOf(action, data, offer, chosen);
  return {
    ...base,
    body: stack(decision(action, data, ctx, state, chosen, effect), choicePanel(action, data, ctx, chosen)),
  };
}

const PAYS_BACK: ReadonlySet<OrderAction> = new Set(["refund", "write_off", "charge_back"]);

/** What will happen, and the form that does it. It carries what was said, so that nothing else can happen. */
function decision(
  action: OrderAction,
  data: OrderData,
  ctx: ConsoleContext,
  state: FormState,
  chosen: readonly UnitRef[],
  effect: Effect,
): Html {
  const { order } = data.described;
  const form = actionForm(action).render({
    action: actionHref(ctx, order.id, action),
    hidden: ctx.hidden({ once: true }),
    state: {
      ...state,
      typed: { ...state.typed, units: chosen.map(unitText), expected: [writeExpected(effect)] },
    },
    submit: ACTION_LABELS[action],
    isDestructive: PAYS_BACK.has(action),
    cancelHref: orderHref(ctx, order.id),
    ...(action === "write_off" ? { cancel: "Keep waiting" } : {}),
    id: "act",
  });
  const said = facts(consequencesOf(action, narrowed(data, chosen), effect));
  return html`<div class="confirm">${panel({ title: question(action, data, effect) }, stack(said, form))}</div>`;
}

/** Of chosen units only those that it can be done to count. */
function effectOf(
  action: OrderAction,
  { described }: OrderData,
  whole: Effect,
  chosen: readonly UnitRef[],
): Effect {
  if (chosen.length === 0) return { units: whole.units, amountMinor: whole.amountMinor };
  const wanted = new Set(chosen.map(unitText));
  const units = choosable(action, described).filter((unit) => wanted.has(unitText(unit)));
  const priceOf = (unit: UnitRef) => described.state.lines[unit.lineIndex]?.unitPriceMinor ?? 0n;
  const isPaid = action !== "keep";
  return {
    units: units.length,
    amountMinor: !isPaid ? 0n : units.reduce((sum, unit) => sum + priceOf(unit), 0n),
  };
}

/** Of chosen units only their own costs are at stake. */
function narrowed({ described }: OrderData, chosen: readonly UnitRef[]): OrderState {
  if (chosen.length === 0) return described.state;
  const wanted = new Set(chosen.map(unitText));
  const unknownCosts = described.purchases
    .filter((one) => one.isUnknown && one.writtenOffAt === null && wanted.has(unitText(one)))
    .map(({ costMinor, costCurrency, toldState, upstreamId }) => ({
      ...{ currency: costCurrency, amountMinor: costMinor, toldState, units: 1 },
      upstreamIds: upstreamId === null ? [] : [upstreamId],
    }));
  return { ...described.state, unknownCosts };
}

function choosable(action: OrderAction, { units, state, purchases }: OrderData["described"]): UnitRow[] {
  if (action === "refund") {
    const isDelivered = refundableKinds(state).includes("delivered");
    return units.filter(({ status, hasOpenPurchase }) =>
      isDelivered
        ? status === "delivered"
        : status === "failed" || (status === "waiting" && !hasOpenPurchase),
    );
  }
  if (action === "keep" || action === "charge_back") return units.filter(({ isReversed }) => isReversed);
  if (action !== "write_off") return [];
  const unknown = new Set(
    purchases.filter((one) => one.isUnknown && one.writtenOffAt === null).map(unitText),
  );
  return units.filter((unit) => unit.status === "waiting" && unknown.has(unitText(unit)));
}

function question(action: OrderAction, { described }: OrderData, { units, amountMinor }: Effect): string {
  const label = ACTION_LABELS[action];
  if (action === "keep") return `${label} ${unitsText(units)}?`;
  if (!PAYS_BACK.has(action)) return `${label}?`;
  return `${label} ${unitsText(units)}, ${moneyText(amountMinor, described.state.currency)}?`;
}

/** Which units, where there are several. The page comes back with the amounts of the choice before anything happens. */
function choicePanel(
  action: OrderAction,
  { described }: OrderData,
  ctx: ConsoleContext,
  chosen: readonly UnitRef[],
): Html | undefined {
  const units = choosable(action, described);
  if (units.length < 2) return undefined;
  const wanted = new Set(chosen.map(unitText));
  const nameOf = (unit: UnitRow) => described.order.lines[unit.lineIndex]?.name ?? "unit";
  const priceOf = (unit: UnitRow) => described.state.lines[unit.lineIndex]?.unitPriceMinor ?? 0n;
  const boxes = units.map((unit) => {
    const isOn = wanted.has(unitText(unit));
    const box = isOn
      ? html`<input type="checkbox" name="units" value="${unitText(unit)}" checked>`
      : html`<input type="checkbox" name="units" value="${unitText(unit)}">`;
    return html`<label class="option">${box}<span>${nameOf(unit)}, unit ${unit.unitIndex + 1}<small>${moneyText(priceOf(unit), described.state.currency)}</small></span></label>`;
  });
  return panel(
    { title: "Only some units" },
    html`<form class="form" method="post" action="${actionHref(ctx, described.order.id, action)}">${ctx.hidden({ once: true })}<fieldset class="field"><legend>Units</legend><div class="options">${boxes}</div></fieldset><div class="row">${button("Show what happens")}</div></form>`,
  );
}
