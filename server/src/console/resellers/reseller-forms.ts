import { USER_ROLES } from "../../accounts/permissions.ts";
import { REASON_MAX_CHARACTERS } from "../../resellers/check-reseller.ts";
import { STANDARD_PRICE_LIST } from "../../resellers/create-reseller.ts";
import { RATE_MAX_PER_SECOND } from "../../resellers/limit-reseller.ts";
import type { ResellerRow } from "../../resellers/queries.ts";
import { selectField } from "../../web/form/choice-fields.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { numberField } from "../../web/form/number-fields.ts";
import { currencyField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { confirm } from "../../web/parts/confirm.ts";
import { panel } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import type { ConsoleContext } from "../session.ts";

const name = textField({ label: "Name", required: true });
const email = textField({
  label: "Email",
  required: true,
  type: "email",
  maxLength: 254,
  hint: "Gets notices about failing and disabled endpoints.",
});
const priceList = textField({
  label: "Price list",
  required: true,
  maxLength: 64,
  isCode: true,
  hint: "Takes effect with the next request.",
});

export const createForm = defineForm({
  name,
  currency: currencyField({
    label: "Currency",
    required: true,
    placeholder: "USD",
    hint: "Of its wallets and prices. It cannot be changed later.",
  }),
  email,
  priceList,
});

export const startCreate = (): FormState => createForm.start({ priceList: STANDARD_PRICE_LIST });

const rate = (label: string) =>
  numberField({
    ...{ label, min: 0, max: RATE_MAX_PER_SECOND, unit: "per second" },
    hint: "For each key. Empty is the server's limit, 0 is no limit.",
  });

export const editForm = defineForm({
  name,
  email,
  priceList,
  orders: rate("Orders"),
  reads: rate("Other requests"),
});

export const startEdit = (reseller: ResellerRow): FormState =>
  editForm.start({
    ...{ name: reseller.name, email: reseller.email, priceList: reseller.priceList },
    orders: reseller.rateLimitOrders?.toString() ?? "",
    reads: reseller.rateLimitReads?.toString() ?? "",
  });

export const inviteForm = defineForm({
  email: textField({ label: "Email", required: true, type: "email", maxLength: 254 }),
  name: textField({ label: "Name" }),
  role: selectField({
    label: "Role",
    required: true,
    choices: USER_ROLES.map((role) => ({ value: role, label: role })),
  }),
});

export const reasonForm = defineForm({
  reason: textField({
    label: "Reason",
    required: true,
    maxLength: REASON_MAX_CHARACTERS,
    hint: "The reseller sees it in its dashboard and in its activity log.",
  }),
});

export const renderCreate = (state: FormState, ctx: ConsoleContext): PageContent => ({
  title: "New reseller",
  crumbs: [{ label: "Resellers", href: here(ctx, "/resellers") }],
  body: panel(
    {},
    createForm.render({
      action: here(ctx, "/resellers"),
      hidden: ctx.hidden({ once: true }),
      state,
      submit: "Create reseller",
      cancelHref: here(ctx, "/resellers"),
      note: html`<p class="quiet">It gets an empty live wallet and a test wallet with test funds. Next, invite its owner.</p>`,
      id: "create",
    }),
  ),
});

const crumbsOf = (reseller: ResellerRow, ctx: ConsoleContext) => [
  { label: "Resellers", href: here(ctx, "/resellers") },
  { label: reseller.name, href: here(ctx, `/resellers/${reseller.id}`) },
];

export const renderEdit = (reseller: ResellerRow, state: FormState, ctx: ConsoleContext): PageContent => ({
  title: `Edit ${reseller.name}`,
  crumbs: crumbsOf(reseller, ctx),
  body: panel(
    {},
    editForm.render({
      action: here(ctx, `/resellers/${reseller.id}/edit`),
      hidden: ctx.hidden(),
      state,
      submit: "Save",
      cancelHref: here(ctx, `/resellers/${reseller.id}`),
      id: "edit",
    }),
  ),
});

export const renderInvite = (reseller: ResellerRow, state: FormState, ctx: ConsoleContext): PageContent => ({
  title: `Invite someone to ${reseller.name}`,
  crumbs: crumbsOf(reseller, ctx),
  body: panel(
    {},
    inviteForm.render({
      action: here(ctx, `/resellers/${reseller.id}/invite`),
      hidden: ctx.hidden({ once: true }),
      state,
      submit: "Invite",
      cancelHref: here(ctx, `/resellers/${reseller.id}`),
      note: html`<p class="quiet">An owner can do everything in the dashboard, and invites the rest of the team.</p>`,
      id: "invite",
    }),
  ),
});

/** What a freeze stops and what goes on, before it happens. */
export function renderFreeze(
  reseller: ResellerRow,
  verb: "freeze" | "unfreeze",
  state: FormState,
  ctx: ConsoleContext,
): PageContent {
  const label = verb === "freeze" ? "Freeze" : "Unfreeze";
  return {
    title: `${label} ${reseller.name}?`,
    crumbs: crumbsOf(reseller, ctx),
    body: confirm({
      title: `${label} ${reseller.name}?`,
      consequences: verb === "freeze" ? FREEZES : UNFREEZES,
      fields: reasonForm.fields.reason.render("reason", {
        given: state.typed.reason ?? [],
        error: state.errors.reason ?? state.formError,
        id: "confirm-reason",
      }),
      hidden: ctx.hidden(),
      action: here(ctx, `/resellers/${reseller.id}/${verb}`),
      verb: label,
      cancelHref: here(ctx, `/resellers/${reseller.id}`),
      isDestructive: verb === "freeze",
    }),
  };
}

const FREEZES = [
  ["New orders", "Refused from now on, live and test, with every key: 403 reseller_frozen."],
  ["Accepted orders", "Fulfilled or refunded as usual. Their codes can still be read."],
  ["Money", "The wallets stay as they are. No money moves."],
  ["The reseller", "Goes on reading by the API and in the dashboard, which says that it is frozen and why."],
] as const;

const UNFREEZES = [
  ["New orders", "Accepted again with the next request, live and test."],
  ["Money", "The wallets stay as they are. No money moves."],
  ["The reseller", "Sees in its activity log that it was unfrozen, with the reason."],
] as const;
