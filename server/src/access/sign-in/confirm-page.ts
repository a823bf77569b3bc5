import { type Factors, getFactors } from "../../accounts/factors/get-factors.ts";
import { offerPasskeyProof, type Proof, proveSession } from "../../accounts/sessions/prove-session.ts";
import { Problem } from "../../lib/problem.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { hiddenFields, newFormId } from "../../web/form/hidden-fields.ts";
import { passkeyForm } from "../../web/form/passkey-form.ts";
import { hiddenField, passwordField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { type ActionResult, redirect, showOnce } from "../../web/pages/define-page.ts";
import { here } from "../../web/pages/here.ts";
import { notice } from "../../web/parts/notice.ts";
import { panel, stack } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import { changeCookie } from "../change-cookie.ts";
import { localBack } from "../local-back.ts";
import { type AccessContext, type AccessDeps, type AccessFace, at, homeOf, OWN_ACCOUNT } from "../site.ts";
import { type CarriedForm, readCarried } from "./carried-form.ts";

const kept = { back: hiddenField("Back"), carried: hiddenField("Form") };
const password = (required: boolean) =>
  passwordField({ label: "Password", required, autocomplete: "current-password" });
const code = (required: boolean) =>
  textField({ label: "One-time code", required, autocomplete: "one-time-code", isCode: true, maxLength: 40 });

/** Where both are there, one of the two is filled in. It reads what the other two forms send as well. */
const confirmForm = defineForm({ password: password(false), code: code(false), ...kept });
const passwordForm = defineForm({ password: password(true), ...kept });
const codeForm = defineForm({ code: code(true), ...kept });
const passkeyProofForm = defineForm({ credential: hiddenField("Passkey"), ...kept });

/** Fresh proof before what a stranger at an open browser must not do. */
export function confirmPages(face: AccessFace, deps: AccessDeps): void {
  const path = `${deps.site.base}/confirm`;
  const show = async (state: FormState, ctx: AccessContext) =>
    renderConfirm(await getFactors(deps.accounts, ctx.session.account), state, ctx);
  face.page({
    path,
    permission: OWN_ACCOUNT,
    load: (ctx) => getFactors(deps.accounts, ctx.session.account),
    render: (factors, ctx) => renderConfirm(factors, confirmForm.start({ back: ctx.query.back ?? "" }), ctx),
  });
  face.action({
    path,
    permission: OWN_ACCOUNT,
    form: confirmForm,
    run: async ({ password, code, ...rest }, ctx) =>
      goOn(deps, ctx, password === "" && code !== "" ? { code } : { password: required(password) }, rest),
    again: show,
  });
  face.download({
    method: "POST",
    path: `${path}/passkey-options`,
    permission: OWN_ACCOUNT,
    load: async (ctx) => ({
      type: "application/json",
      body: JSON.stringify(await offerPasskeyProof(deps.accounts, ctx.session.account)),
    }),
  });
  face.action({
    path: `${path}/passkey`,
    permission: OWN_ACCOUNT,
    form: passkeyProofForm,
    run: ({ credential, ...rest }, ctx) => goOn(deps, ctx, { passkey: credential }, rest),
    again: show,
  });
}

function required(password: string): string {
  if (password !== "") return password;
  const detail = "Enter your password or a code.";
  throw new Problem("invalid_request", detail, {
    errors: [{ pointer: "/password", code: "required", detail }],
  });
}

/** With the proof there, the form that asked for it is sent on; without one the page that was asked for is shown. */
async function goOn(
  deps: AccessDeps,
  ctx: AccessContext,
  proof: Proof,
  { back, carried }: { back: string; carried: string },
): Promise<ActionResult> {
  changeCookie(deps, ctx, await proveSession(deps.accounts, ctx.session.account, proof, ctx.address));
  const form = readCarried(ctx, carried);
  return form ? showOnce(renderContinue(form, ctx)) : redirect(localBack(ctx, back));
}

/** What is shown in place of a form's answer when its verb wants fresh proof first. Nothing that was typed is lost. */
export const renderConfirmFor = (factors: Factors, carried: string, ctx: AccessContext): PageContent =>
  renderConfirm(factors, confirmForm.start({ carried }), ctx);

function renderConfirm(factors: Factors, state: FormState, ctx: AccessContext): PageContent {
  const form = !factors.totp ? passwordForm : factors.hasPassword ? confirmForm : codeForm;
  const hidden = ["back", "carried"].map(
    (name) => html`<input type="hidden" name="${name}" value="${state.typed[name]?.[0] ?? ""}">`,
  );
  return {
    title: "Confirm that it is you",
    subtitle: "What you are about to do needs fresh proof. It counts for five minutes.",
    body: stack(
      factors.hasPassword || factors.totp
        ? panel(
            {},
            form.render({
              action: at(ctx, "/confirm"),
              hidden: ctx.hidden(),
              state,
              submit: "Continue",
            }),
          )
        : undefined,
      factors.passkeys > 0
        ? passkeyForm({
            kind: "get",
            optionsAction: `${ctx.base}/confirm/passkey-options`,
            action: at(ctx, "/confirm/passkey"),
            hidden: html`${ctx.hidden()}${hidden}`,
            submit: "Use a passkey",
          })
        : undefined,
      !factors.hasPassword && !factors.totp && factors.passkeys === 0 ? nothingToProve() : undefined,
    ),
  };
}

/** An account of the demo that came in by its link. */
const nothingToProve = () =>
  notice(
    "warn",
    "This account has no password yet",
    "Start the demo again and open the new link. Then set a password on the page Security within five minutes.",
  );

const renderContinue = ({ action, fields }: CarriedForm, ctx: AccessContext): PageContent => ({
  title: "Confirmed",
  subtitle: "Nothing has been done yet. Go on with what you started.",
  body: html`<form class="form" method="post" action="${action}" data-plain>${hiddenFields({ token: ctx.session.formToken, formId: newFormId() })}${fields.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<div class="row"><button class="btn main" type="submit" autofocus>Continue</button><a class="btn plain" href="${here(ctx, homeOf(ctx))}">Cancel</a></div></form>`,
});
