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
import type { AccessDeps, AccessFace, AccessSession, OpenContext, Site } from "../site.ts";
import { enter } from "./enter.ts";
import { renderSecondFactor } from "./second-factor-page.ts";

const signInForm = defineForm({
  email: textField({ label: "Email", required: true, type: "email", autocomplete: "username webauthn" }),
  password: passwordField({ label: "Password", required: true, autocomplete: "current-password" }),
  back: hiddenField("Back"),
});

const passkeySignInForm = defineForm({ credential: hiddenField("Passkey"), back: hiddenField("Back") });

export function signInPages(face: AccessFace, deps: AccessDeps): void {
  const path = `${deps.site.base}/sign-in`;
  face.open.page({
    path,
    permission: "public",
    load: async (ctx) => signInForm.start({ back: ctx.query.back ?? "" }),
    render: (state, ctx) => renderSignIn(deps.site, state, ctx),
  });
  face.open.action({
    path,
    permission: "public",
    form: signInForm,
    run: (values, ctx) => answerSignIn(deps, values, ctx),
    again: async (state, ctx) => renderSignIn(deps.site, state, ctx),
  });
  face.open.download({
    method: "POST",
    path: `${path}/passkey-options`,
    permission: "public",
    load: async () => ({
      type: "application/json",
      body: JSON.stringify(await offerPasskeySignIn(deps.accounts, deps.site.face)),
    }),
  });
  face.open.action({
    path: `${path}/passkey`,
    permission: "public",
    form: passkeySignInForm,
    async run({ credential, back }, ctx) {
      return enter(deps, ctx, await signInWithPasskey(deps.accounts, deps.site.face, credential, ctx), back);
    },
    again: async ({ typed, formError }, ctx) =>
      renderSignIn(deps.site, { typed: { back: typed.back ?? [] }, errors: {}, formError }, ctx),
  });
}

async function answerSignIn(
  deps: AccessDeps,
  { email, password, back }: { email: string; password: string; back: string },
  ctx: OpenContext,
): Promise<ActionResult> {
  const result = await signIn(deps.accounts, deps.site.face, { email, password }, ctx);
  if (result.state === "refused") throw new Problem("invalid_request", result.message);
  if (result.state === "signed_in") return enter(deps, ctx, result.session, back);
  return showOnce(
    renderSecondFactor(deps.site, { pending: result.pending.reveal(), methods: result.methods, back }, ctx),
  );
}

const renderSignIn = (site: Site, state: FormState, ctx: OpenContext): PageContent => {
  const [back = ""] = state.typed.back ?? [];
  return {
    title: "Sign in",
    subtitle: `to ${site.name}`,
    body: stack(
      ctx.session && signedInAlready(site, ctx.session, back, ctx),
      signInForm.render({ action: `${ctx.base}/sign-in`, hidden: ctx.hidden(), state, submit: "Sign in" }),
      passkeyForm({
        kind: "get",
        optionsAction: `${ctx.base}/sign-in/passkey-options`,
        action: `${ctx.base}/sign-in/passkey`,
        hidden: html`${ctx.hidden()}<input type="hidden" name="back" value="${back}">`,
        submit: "Use a passkey",
      }),
      html`<p class="quiet"><a class="link" href="${ctx.base}/reset">Forgot your password?</a></p>`,
    ),
  };
};

const signedInAlready = (site: Site, { account }: AccessSession, back: string, ctx: OpenContext) =>
  notice(
    "quiet",
    `You are signed in as ${account.email}`,
    html`<a class="link" href="${href(localBack(ctx, back))}">Go to ${site.name}</a>, or sign in as someone else.`,
  );
