import { confirmSecondFactor } from "../../accounts/sign-in/confirm-second-factor.ts";
import type { SignInMethod } from "../../accounts/sign-in/sign-in.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { passkeyForm } from "../../web/form/passkey-form.ts";
import { hiddenField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { stack } from "../../web/parts/panel.ts";
import { html, NOTHING } from "../../web/template/html.ts";
import type { AccessDeps, AccessFace, OpenContext, Site } from "../site.ts";
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

export function secondFactorPages(face: AccessFace, deps: AccessDeps): void {
  face.open.action({
    path: `${deps.site.base}/sign-in/code`,
    permission: "public",
    form: codeForm,
    async run({ pending, code, back }, ctx) {
      return enter(
        deps,
        ctx,
        await confirmSecondFactor(deps.accounts, deps.site.face, { pending, code }, ctx),
        back,
      );
    },
    again: async (state, ctx) => renderCode(deps.site, state, ctx),
  });
}

/** The second step. What was proved so far is in the form, and counts for five minutes. */
export const renderSecondFactor = (
  site: Site,
  { pending, methods, back }: { pending: string; methods: readonly SignInMethod[]; back: string },
  ctx: OpenContext,
): PageContent => renderCode(site, codeForm.start({ pending, back, methods: methods.join(" ") }), ctx);

const renderCode = (site: Site, state: FormState, ctx: OpenContext): PageContent => {
  const methods = state.typed.methods?.[0] ?? "";
  const hasCode = methods.includes("totp") || methods.includes("recovery_code");
  return {
    title: "One more step",
    subtitle: subtitleOf(methods),
    body: stack(
      hasCode
        ? codeForm.render({ action: `${ctx.base}/sign-in/code`, hidden: NOTHING, state, submit: "Continue" })
        : undefined,
      methods.includes("passkey") ? withPasskey(state.typed.back?.[0] ?? "", ctx) : undefined,
      html`<p class="quiet">Lost your device? Use one of your recovery codes. If they are lost too, ask ${site.helper} to reset your second factor. <a class="link" href="${ctx.base}/sign-in">Start again</a></p>`,
    ),
  };
};

const subtitleOf = (methods: string): string =>
  methods.includes("totp")
    ? "Enter the code that your authenticator app shows, or a recovery code."
    : "Use your passkey, or enter a recovery code.";

/** A passkey proves everything by itself, so it does not need what was proved before. */
const withPasskey = (back: string, ctx: OpenContext) =>
  passkeyForm({
    kind: "get",
    optionsAction: `${ctx.base}/sign-in/passkey-options`,
    action: `${ctx.base}/sign-in/passkey`,
    hidden: html`<input type="hidden" name="back" value="${back}">`,
    submit: "Use a passkey",
  });
