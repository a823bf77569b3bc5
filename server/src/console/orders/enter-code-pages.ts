import type { By } from "../../activity/record-activity.ts";
import { rehearse } from "../../db/rehearse.ts";
import type { DescribedPurchase } from "../../fulfilment/operate/describe-order.ts";
import { enterCode, readMailedGoods } from "../../fulfilment/operate/enter-code.ts";
import { REASON_MAX_CHARACTERS } from "../../fulfilment/operate/operator.ts";
import { Problem } from "../../lib/problem.ts";
import { defineForm, type FormState, type ValuesOf } from "../../web/form/define-form.ts";
import { hiddenField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { here } from "../../web/pages/here.ts";
import { linkButton } from "../../web/parts/button.ts";
import { shortId } from "../../web/parts/copy.ts";
import { notice } from "../../web/parts/notice.ts";
import { facts, panel, row, stack } from "../../web/parts/panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace, provedBy } from "../session.ts";
import { readUnit, unitText } from "./action-form.ts";
import { loadOrder, type OrderData } from "./load-order.ts";
import { answersPart } from "./order-panels.ts";
import { ENTER_CODE_LABEL, enterCodeHref, ORDERS_PATH, orderHref } from "./order-paths.ts";

const PATH = `${ORDERS_PATH}/:id/enter-code`;
const TEXT_MAX = 1_000;

/** No page that asks for proof repeats it. */
const codeText = (label: string, hint?: string, mark?: string) => ({
  ...textField({
    ...{ label, maxLength: TEXT_MAX, isCode: true },
    ...(hint === undefined ? {} : { hint }),
    ...(mark === undefined ? {} : { mark }),
  }),
  say: () => undefined,
});

const codeForm = defineForm({
  unit: hiddenField("Unit"),
  code: codeText("Code", undefined, "or a link, or a receipt"),
  pin: codeText("PIN", "If the card has one."),
  serial: codeText("Serial", "If the card has one."),
  url: codeText("Link", "In place of a code, where the supplier sells links."),
  receipt: codeText("Receipt", "Of a top-up alone."),
  expiresAt: textField({
    label: "Expires",
    placeholder: "2027-12-31",
    hint: "If the supplier says so, in UTC.",
  }),
  note: textField({
    label: "Note",
    maxLength: Math.min(REASON_MAX_CHARACTERS, 300),
    hint: "For the activity log, such as the supplier's ticket. No code. The reseller does not see it.",
  }),
});

type Typed = ValuesOf<typeof codeForm.fields>;

/** A code that a supplier's support sent by mail: a form for one unit. */
export function enterCodePages(face: ConsoleFace, deps: ConsoleDeps): void {
  const enter = async (
    trial: ConsoleDeps,
    { unit: asked, note, ...cells }: Typed,
    ctx: ConsoleContext,
    by: By,
  ) => {
    const unit = readUnit(asked);
    if (!unit) throw new Problem("invalid_request", "Choose the unit of the code.");
    const goods = readMailedGoods(cells, ctx.now);
    if ("faults" in goods) throw wrongGoods(goods.faults);
    const input = { orderId: ctx.params.id ?? "", unit, goods };
    const { digestCode } = deps.supplierCalls;
    await sayRefusal(enterCode({ ...trial, digestCode }, input, { ...by, reason: note }));
  };
  face.page({
    path: PATH,
    permission: "orders.manage",
    load: (ctx) => loadOrder(deps, ctx),
    render: (data, ctx) => render(data, ctx, codeForm.start()),
  });
  face.action({
    path: PATH,
    permission: "orders.manage",
    form: codeForm,
    once: true,
    async does(typed, ctx) {
      await rehearse(deps, (trial) => enter(trial, typed, ctx, byOf(ctx)));
      return "Deliver the code that the supplier's support sent. It cannot be undone.";
    },
    async run(typed, ctx) {
      await enter(deps, typed, ctx, provedBy(ctx));
      deps.announceOrders();
      deps.announceDeliveries();
      return redirect(orderHref(ctx, ctx.params.id ?? ""), "The code was sealed and delivered.");
    },
    again: async (state, ctx) => render(await loadOrder(deps, ctx), ctx, state),
  });
}

/** Each fault stands at its field: a message begins with the column, such as `pin: `. */
const wrongGoods = (faults: readonly string[]): Problem =>
  new Problem("invalid_request", faults.join("; "), {
    errors: faults.map((fault) => {
      const [, field = "code", detail = fault] =
        /^(code|pin|serial|url|receipt|expiresAt): (.*)$/.exec(fault) ?? [];
      return {
        pointer: `/${field}`,
        code: "invalid",
        detail: `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`,
      };
    }),
  });

/** The purchases whose codes can be entered: those that the verb accepts. */
export const enterable = ({ described }: OrderData): DescribedPurchase[] =>
  described.purchases.filter(
    (one) =>
      one.status === "open" && one.writtenOffAt === null && (one.isUnknown || one.toldState === "sold"),
  );

function render(data: OrderData, ctx: ConsoleContext, state: FormState): PageContent {
  const { order } = data.described;
  const purchases = enterable(data);
  const asked = state.typed.unit?.[0] ?? ctx.query.unit ?? "";
  const chosen =
    purchases.find((one) => unitText(one) === asked) ?? (purchases.length === 1 ? purchases[0] : undefined);
  return {
    title: `${ENTER_CODE_LABEL} ${order.id}`,
    heading: html`${ENTER_CODE_LABEL} <span class="id">${shortId(order.id)}</span>`,
    crumbs: [
      { label: "Orders", href: here(ctx, ORDERS_PATH) },
      { label: shortId(order.id), href: orderHref(ctx, order.id) },
    ],
    body: chosen
      ? formFor(chosen, data, ctx, state)
      : purchases.length > 0
        ? choose(purchases, data, ctx)
        : stack(
            notice(
              "warn",
              "No unit waits for a code",
              html`<p>${state.formError ?? "A code can be entered for a unit whose purchase has no outcome and was not written off."}</p>`,
            ),
            row(linkButton("Back to the order", orderHref(ctx, order.id), { kind: "main" })),
          ),
  };
}

const nameOf = (one: DescribedPurchase, { described }: OrderData): string =>
  `${described.order.lines[one.lineIndex]?.name ?? "Line"}, line ${one.lineIndex + 1}, unit ${one.unitIndex + 1}`;

const choose = (purchases: readonly DescribedPurchase[], data: OrderData, ctx: ConsoleContext): Html =>
  panel(
    { title: "Which unit?" },
    html`<ul class="offers">${purchases.map(
      (one) =>
        html`<li><p>${nameOf(one, data)} ${answersPart(one)}</p>${linkButton("Choose", enterCodeHref(ctx, data.described.order.id, one))}</li>`,
    )}</ul>`,
  );

/** What entering it does, and the form. */
function formFor(one: DescribedPurchase, data: OrderData, ctx: ConsoleContext, state: FormState): Html {
  const {
    order,
    state: { resellerName },
  } = data.described;
  const form = codeForm.render({
    action: enterCodeHref(ctx, order.id),
    hidden: ctx.hidden({ once: true }),
    state: { ...state, typed: { ...state.typed, unit: [unitText(one)] } },
    submit: ENTER_CODE_LABEL,
    cancelHref: orderHref(ctx, order.id),
    id: "enter-code",
  });
  const said = facts([
    ["Unit", nameOf(one, data)],
    ["Supplier", html`${one.supplierName ?? one.supplierId}: ${answersPart(one)}`],
    ...(one.upstreamId === null
      ? []
      : ([["Their transaction", html`<code>${one.upstreamId}</code>`]] as const)),
    [resellerName, "gets the code at once, as if the supplier had sent it. Nothing is paid back."],
    ["You", "keep what the supplier charged as the cost of this unit."],
    ["Can be undone", "no"],
  ]);
  return html`<div class="confirm">${panel({ title: "The code that the supplier's support sent" }, stack(said, form))}</div>`;
}
