import {
  addTotp,
  confirmTotp,
  type NewTotp,
  removeTotp,
  renewRecoveryCodes,
} from "../../accounts/factors/change-totp.ts";
import { requireFreshProof } from "../../accounts/sessions/session-life.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { hiddenField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { type ActionResult, redirect, showOnce } from "../../web/pages/define-page.ts";
import { button, linkButton } from "../../web/parts/button.ts";
import { copyButton } from "../../web/parts/copy.ts";
import { panel, row, stack } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import { type AccessContext, type AccessDeps, type AccessFace, at, homeOf, OWN_ACCOUNT } from "../site.ts";
import { qrCode } from "./qr-code.ts";

const PATH = "/security/totp";
const CRUMBS = (ctx: AccessContext) => [{ label: "Security", href: at(ctx, "/security") }];

const startForm = defineForm({});
const idForm = defineForm({ id: hiddenField("Id") });
const confirmForm = defineForm({
  code: textField({
    label: "One-time code",
    required: true,
    hint: "The six digits that the app shows now.",
    autocomplete: "one-time-code",
    inputmode: "numeric",
    isCode: true,
    maxLength: 20,
  }),
});

/** An authenticator app: add, confirm, remove, and the codes for the day on which it is lost. */
export function totpPages(face: AccessFace, deps: AccessDeps): void {
  const path = `${deps.site.base}${PATH}`;
  face.page({
    path,
    permission: OWN_ACCOUNT,
    load: async (ctx) => requireFreshProof(ctx.session.account, ctx.now),
    render: (_data, ctx) => renderStart(ctx),
  });
  face.action({
    path,
    permission: OWN_ACCOUNT,
    form: startForm,
    does: "Add an authenticator app to your account.",
    run: async (_values, ctx) =>
      showOnce(renderSecret(await addTotp(deps.accounts, ctx.session.account), ctx)),
    again: async (state, ctx) => renderStart(ctx, state),
  });
  face.action({
    path: `${path}/confirm`,
    permission: OWN_ACCOUNT,
    form: confirmForm,
    does: "Add the authenticator app whose code you typed to your account.",
    async run({ code }, ctx) {
      const added = await confirmTotp(deps.accounts, ctx.session.account, code, ctx.address);
      return showCodes(added.recoveryCodes, "The authenticator app was added.", ctx);
    },
    again: async (state, ctx) => renderCodeAgain(state, ctx),
  });
  face.action({
    path: `${path}/remove`,
    permission: OWN_ACCOUNT,
    form: idForm,
    does: "Remove the authenticator app from your account.",
    async run(_values, ctx) {
      await removeTotp(deps.accounts, ctx.session.account, ctx.address);
      return redirect(at(ctx, "/security"), "The authenticator app was removed.");
    },
    again: async (state, ctx) => renderStart(ctx, state),
  });
  face.action({
    path: `${deps.site.base}/security/recovery-codes`,
    permission: OWN_ACCOUNT,
    form: idForm,
    does: "Make new recovery codes. The older ones stop working.",
    async run(_values, ctx) {
      const codes = await renewRecoveryCodes(deps.accounts, ctx.session.account, ctx.address);
      return showCodes(codes, "Your older recovery codes no longer work.", ctx);
    },
    again: async (state, ctx) => renderStart(ctx, state),
  });
}

/** Recovery codes are shown this once. Where there are none to show, the page Security says what was done. */
export function showCodes(codes: readonly string[], done: string, ctx: AccessContext): ActionResult {
  // Who had to add a factor first has just signed in for the first time.
  const next = ctx.session.account.mustAddFactor ? homeOf(ctx) : at(ctx, "/security");
  if (codes.length === 0) return redirect(next, done);
  return showOnce({
    title: "Recovery codes",
    subtitle: `${done} Keep these codes where you keep your secrets: each signs you in once if you lose your second factor. They are shown only now.`,
    crumbs: CRUMBS(ctx),
    body: panel(
      {},
      stack(
        html`<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>`,
        row(copyButton(codes.join("\n")), linkButton("I have stored them", next, { kind: "main" })),
      ),
    ),
  });
}

const renderStart = (ctx: AccessContext, state: FormState = startForm.start()): PageContent => ({
  title: "Add an authenticator app",
  crumbs: CRUMBS(ctx),
  body: panel(
    {},
    stack(
      html`<p>You need an app that makes one-time codes, such as 1Password, Bitwarden, Google Authenticator or Aegis.</p>`,
      startForm.render({
        action: at(ctx, PATH),
        hidden: ctx.hidden(),
        state,
        submit: "Show the QR code",
        cancelHref: at(ctx, "/security"),
      }),
    ),
  ),
});

const renderSecret = ({ uri, secret }: NewTotp, ctx: AccessContext): PageContent => ({
  title: "Add an authenticator app",
  subtitle: "Scan the code with the app, then enter what the app shows.",
  crumbs: CRUMBS(ctx),
  body: panel(
    {},
    stack(
      qrCode(uri.reveal(), "QR code for your authenticator app"),
      html`<div><p class="quiet">Cannot scan it? Type this key into the app:</p><div class="secret"><code>${secret.reveal()}</code>${copyButton(secret.reveal())}</div></div>`,
      codeForm(confirmForm.start(), ctx),
    ),
  ),
});

const renderCodeAgain = (state: FormState, ctx: AccessContext): PageContent => ({
  title: "Add an authenticator app",
  crumbs: CRUMBS(ctx),
  body: panel(
    {},
    stack(
      codeForm(state, ctx),
      html`<form method="post" action="${at(ctx, PATH)}">${ctx.hidden()}<p class="quiet">The QR code is shown only once. If you did not scan it, start again.</p>${button("Show a new QR code")}</form>`,
    ),
  ),
});

const codeForm = (state: FormState, ctx: AccessContext) =>
  confirmForm.render({
    action: at(ctx, `${PATH}/confirm`),
    hidden: ctx.hidden(),
    state,
    submit: "Continue",
    cancelHref: at(ctx, "/security"),
  });
