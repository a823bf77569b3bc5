import { MOVEMENT_NOTE_MAX_CHARACTERS } from "../../wallet/proposals/request-movement.ts";
import { radioField } from "../../web/form/choice-fields.ts";
import { defineForm, type FormState, type ValuesOf } from "../../web/form/define-form.ts";
import { hiddenField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { moneyText } from "../../web/parts/money.ts";
import { columns, facts, panel } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import type { ConsoleContext } from "../session.ts";
import type { MoneyOf } from "./load-money.ts";

export const movementForm = defineForm({
  resellerId: hiddenField("Reseller"),
  direction: radioField({
    label: "Direction",
    choices: [
      { value: "credit", label: "Credit", hint: "Adds money to the wallet: a deposit, a correction." },
      {
        value: "debit",
        label: "Debit",
        hint: "Takes money from the wallet. The balance never goes below zero.",
      },
    ],
  }),
  amount: textField({
    label: "Amount",
    required: true,
    maxLength: 24,
    inputmode: "decimal",
    placeholder: "100.00",
    hint: "In the currency of the wallet.",
  }),
  note: textField({
    label: "Note",
    required: true,
    maxLength: MOVEMENT_NOTE_MAX_CHARACTERS,
    hint: "Why. The reseller sees it in its statement.",
  }),
});

export type TypedMovement = ValuesOf<typeof movementForm.fields>;

/** The form for one reseller. Nothing happens before the page that follows it. */
export const renderMovementForm = (
  { reseller, wallet, environment }: MoneyOf,
  state: FormState,
  ctx: ConsoleContext,
): PageContent => ({
  title: "Move money",
  subtitle: html`${reseller.name}, ${environment}`,
  crumbs: [{ label: "Money", href: here(ctx, "/money") }],
  body: columns(
    panel(
      { title: "Credit or debit" },
      movementForm.render({
        action: here(ctx, "/money/review"),
        hidden: ctx.hidden(),
        state: { ...state, typed: { ...state.typed, resellerId: [reseller.id] } },
        submit: "Continue",
        cancelHref: here(ctx, "/money"),
        note: html`<p class="quiet">The next page says what will happen before it happens.</p>`,
        id: "movement",
      }),
    ),
    panel(
      { title: "Wallet" },
      facts([
        [
          "Reseller",
          html`<a class="link" href="${here(ctx, `/resellers/${reseller.id}`)}">${reseller.name}</a>`,
        ],
        ["Environment", environment],
        ["Balance now", moneyText(wallet.balanceMinor, wallet.currency)],
      ]),
    ),
  ),
});
