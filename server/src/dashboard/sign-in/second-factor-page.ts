import { confirmSecondFactor } from "../../accounts/sign-in/confirm-second-factor.ts";
import type { SignInMethod } from "../../accounts/sign-in/sign-in.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { passkeyForm } from "../../web/form/passkey-form.ts";
import { hiddenField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { stack } from "../../web/parts/panel.ts";
import { html, NOTHING } from "../../web/template/html.ts";
import { BASE, type DashboardDeps, type DashboardFace } from "../session.ts";
import { enter } from "./enter.ts";

export const codeField = textField({
  label: "One-time code",
  required: true,
  autocomplete: "one-time-code",
  isCode: true,
  maxLength: 40,
});

const codeForm = defineForm({
  code: codeField,
  pending: hiddenField("Sign-in"),
  methods: hiddenField("Methods"),
  back: hiddenField("Back"),
});

export function secondFactorPages(face: DashboardFace, deps: DashboardDeps): void {
  face.open.action({
    path: `${BASE}/sign-in/code`,
    permission: "public",
    form: codeForm,
    async run({ pending, code, back }, ctx) {
      return enter(
        deps,
        ctx,
        await confirmSecondFactor(deps.accounts, "dashboard", { pending, code }, ctx),
        back,
      );
    },
    again: async (state) => renderCode(state),
  });
}

/** The second step. What was proved so far is in the form, and counts for five minutes. */
export const renderSecondFactor = (
  pending: string,
  methods: readonly SignInMethod[],
  back: string,
): PageContent => renderCode(codeForm.start({ pending, back, methods: methods.join(" ") }));

const renderCode = (state: FormState): PageContent => {
  const methods = state.typed.methods?.[0] ?? "";
  const hasCode = methods.includes("totp") || methods.includes("recovery_code");
  return {
    title: "One more step",
    subtitle: subtitleOf(methods),
    body: stack(
      hasCode
        ? codeForm.render({ action: `${BASE}/sign-in/code`, hidden: NOTHING, state, submit: "Continue" })
        : undefined,
      methods.includes("passkey") ? withPasskey(state.typed.back?.[0] ?? "") : undefined,
      html`<p class="quiet">Lost your device? Use one of your recovery codes. If they are lost too, ask another owner of your team to reset your second factor. <a class="link" href="${BASE}/sign-in">Start again</a></p>`,
    ),
  };
};

const subtitleOf = (methods: string): string =>
  methods.includes("totp")
    ? "Enter the code that your authenticator app shows, or a recovery code."
    : "Use your passkey, or enter a recovery code.";

/** A passkey proves everything by itself, so it does not need what was proved before. */
const withPasskey = (back: string) =>
  passkeyForm({
    kind: "get",
    optionsAction: `${BASE}/sign-in/passkey-options`,
    action: `${BASE}/sign-in/passkey`,
    hidden: html`<input type="hidden" name="back" value="${back}">`,
    submit: "Use a passkey",
  });
