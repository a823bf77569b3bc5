import { checkboxesField, checkboxField, radioField, selectField } from "../../src/web/form/choice-fields.ts";
import { defineForm, type FormState } from "../../src/web/form/define-form.ts";
import { amountField, dateField, numberField } from "../../src/web/form/number-fields.ts";
import { hiddenField, passwordField, textareaField, textField } from "../../src/web/form/text-fields.ts";
import type { PageContent } from "../../src/web/layout/frame.ts";
import { panel } from "../../src/web/parts/panel.ts";
import type { Html } from "../../src/web/template/html.ts";
import { html } from "../../src/web/template/html.ts";

/** Every kind of field. */
export const galleryForm = defineForm({
  name: textField({
    label: "Name",
    required: true,
    maxLength: 80,
    hint: "Where the key is used. Only your team sees it.",
  }),
  environment: selectField({
    label: "Environment",
    required: true,
    choices: [
      { value: "live", label: "Live" },
      { value: "test", label: "Test" },
    ],
  }),
  scopes: checkboxesField({
    label: "Scopes",
    required: true,
    hint: "What the key may do.",
    choices: [
      { value: "catalog:read", label: "catalog:read", hint: "Read products and prices." },
      { value: "orders:write", label: "orders:write", hint: "Place orders." },
      { value: "orders:read", label: "orders:read", hint: "Read orders and their codes." },
    ],
  }),
  addresses: textareaField({
    label: "Allowed addresses",
    isCode: true,
    rows: 3,
    hint: "One address or range a line. Empty means any.",
  }),
  ends: radioField({
    label: "The old key ends",
    choices: [
      { value: "now", label: "Now", hint: "Requests with it are refused at once." },
      { value: "later", label: "In 24 hours" },
    ],
  }),
  limit: amountField({ label: "Spend limit", currency: "USD" }),
  days: numberField({ label: "Grace period", min: 0, max: 72, unit: "hours" }),
  expires: dateField({ label: "Expires" }),
  password: passwordField({
    label: "Password",
    required: true,
    autocomplete: "current-password",
    minLength: 12,
  }),
  agreed: checkboxField({ label: "I have stored the old key", required: true }),
  from: hiddenField("From"),
});

export const galleryFormPage = (state: FormState, hidden: Html): PageContent => ({
  title: "Create key",
  crumbs: [{ label: "API keys", href: "/gallery/keys" }],
  subtitle: "The key is shown once. Store it where your secrets are.",
  body: panel(
    {},
    galleryForm.render({
      action: "/gallery/form",
      hidden,
      state,
      submit: "Create key",
      cancelHref: "/gallery/keys",
    }),
  ),
});

export const signInForm = defineForm({
  email: textField({ label: "Email", required: true, type: "email", autocomplete: "username" }),
  password: passwordField({ label: "Password", required: true, autocomplete: "current-password" }),
});

export const gallerySignIn = (state: FormState, hidden: Html): PageContent => ({
  title: "Sign in",
  subtitle: "to the reseller dashboard",
  body: html`${signInForm.render({ action: "/gallery/sign-in", hidden, state, submit: "Sign in" })}<p class="quiet"><a class="link" href="/gallery/sign-in">Forgot your password?</a></p>`,
});
