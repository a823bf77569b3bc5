import { signIn } from "../../accounts/sign-in/sign-in.ts";
import { offerPasskeySignIn, signInWithPasskey } from "../../accounts/sign-in/sign-in-with-passkey.ts";
import { Problem } from "../../lib/problem.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { passkeyForm } from "../../web/form/passkey-form.ts";
import { hiddenField, passwordField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { type ActionResult, showOnce } from "../../web/pages/define-page.ts";
import { notice } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import { localBack } from "../local-back.ts";
import { BASE, type DashboardDeps, type DashboardFace, type DashboardSession } from "../session.ts";
import { enter, type OpenContext } from "./enter.ts";
import { renderSecondFactor } from "./second-factor-page.ts";

const signInForm = defineForm({
  email: textField({ label: "Email", required: true, type: "email", autocomplete: "username webauthn" }),
  password: passwordField({ label: "Password", required: true, autocomplete: "current-password" }),
  back: hiddenField("Back"),
});

const passkeySignInForm = defineForm({ credential: hiddenField("Passkey"), back: hiddenField("Back") });

export function signInPages(face: DashboardFace, deps: DashboardDeps): void {
  const path = `${BASE}/sign-in`;
  face.open.page({
    path,
    permission: "public",
    load: async (ctx) => signInForm.start({ back: ctx.query.back ?? "" }),
    render: renderSignIn,
  });
  face.open.action({
    path,
    permission: "public",
    form: signInForm,
    run: (values, ctx) => answerSignIn(deps, values, ctx),
    again: async (state, ctx) => renderSignIn(state, ctx),
  });
  face.open.download({
    method: "POST",
    path: `${path}/passkey-options`,
    permission: "public",
    load: async () => ({
      type: "application/json",
      body: JSON.stringify(await offerPasskeySignIn(deps.accounts, "dashboard")),
    }),
  });
  face.open.action({
    path: `${path}/passkey`,
    permission: "public",
    form: passkeySignInForm,
    async run({ credential, back }, ctx) {
      return enter(deps, ctx, await signInWithPasskey(deps.accounts, "dashboard", credential, ctx), back);
    },
    again: async ({ typed, formError }, ctx) =>
      renderSignIn({ typed: { back: typed.back ?? [] }, errors: {}, formError }, ctx),
  });
}

async function answerSignIn(
  deps: DashboardDeps,
  { email, password, back }: { email: string; password: string; back: string },
  ctx: OpenContext,
): Promise<ActionResult> {
  const result = await signIn(deps.accounts, "dashboard", { email, password }, ctx);
  if (result.state === "refused") throw new Problem("invalid_request", result.message);
  if (result.state === "signed_in") return enter(deps, ctx, result.session, back);
  return showOnce(renderSecondFactor(result.pending.reveal(), result.methods, back));
}

const renderSignIn = (state: FormState, ctx: OpenContext): PageContent => {
  const [back = ""] = state.typed.back ?? [];
  return {
    title: "Sign in",
    subtitle: "to the reseller dashboard",
    body: stack(
      ctx.session && signedInAlready(ctx.session, back),
      signInForm.render({ action: `${BASE}/sign-in`, hidden: ctx.hidden(), state, submit: "Sign in" }),
      passkeyForm({
        kind: "get",
        optionsAction: `${BASE}/sign-in/passkey-options`,
        action: `${BASE}/sign-in/passkey`,
        hidden: html`${ctx.hidden()}<input type="hidden" name="back" value="${back}">`,
        submit: "Use a passkey",
      }),
      html`<p class="quiet"><a class="link" href="${BASE}/reset">Forgot your password?</a></p>`,
    ),
  };
};

const signedInAlready = ({ account }: DashboardSession, back: string) =>
  notice(
    "quiet",
    `You are signed in as ${account.email}`,
    html`<a class="link" href="${href(localBack(back))}">Go to the dashboard</a>, or sign in as someone else.`,
  );
