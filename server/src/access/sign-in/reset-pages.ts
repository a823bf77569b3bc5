import { requestReset, resetPassword } from "../../accounts/passwords/reset-password.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { hiddenField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect, showOnce } from "../../web/pages/define-page.ts";
import { linkButton } from "../../web/parts/button.ts";
import { notice } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import type { AccessDeps, AccessFace, OpenContext, Site } from "../site.ts";
import { newPasswordField } from "./accept-page.ts";
import { readLinkOf } from "./read-link-of.ts";

const requestForm = defineForm({
  email: textField({ label: "Email", required: true, type: "email", autocomplete: "username" }),
});

const resetForm = defineForm({ password: newPasswordField("New password"), token: hiddenField("Link") });

type Asked = { token: string; email: string } | undefined;

/** One address for both: with a link it sets the password, without one it asks where to send it. */
export function resetPages(face: AccessFace, deps: AccessDeps): void {
  const path = `${deps.site.base}/reset`;
  face.open.page({
    path,
    permission: "public",
    load: (ctx) => loadReset(deps, ctx.query.token),
    render: (asked, ctx) =>
      asked
        ? renderReset(asked.email, resetForm.start({ token: asked.token }), ctx)
        : renderRequest(deps, requestForm.start(), ctx),
  });
  face.open.action({
    path,
    permission: "public",
    form: resetForm,
    async run(values, ctx) {
      await readLinkOf(deps, "reset", values.token);
      await resetPassword(deps.accounts, values, ctx.address);
      return redirect(`${ctx.base}/sign-in`, "Your password was changed. Sign in with it.");
    },
    again: async (state, ctx) => {
      const asked = await loadReset(deps, state.typed.token?.[0] ?? "");
      return renderReset(asked?.email ?? "", state, ctx);
    },
  });
  face.open.action({
    path: `${path}/request`,
    permission: "public",
    form: requestForm,
    async run({ email }, ctx) {
      await requestReset(deps.accounts, deps.site.face, { email }, ctx.address);
      return showOnce(renderSent(deps, ctx));
    },
    again: async (state, ctx) => renderRequest(deps, state, ctx),
  });
}

async function loadReset(deps: AccessDeps, token: string | undefined): Promise<Asked> {
  if (token === undefined) return undefined;
  return { token, email: (await readLinkOf(deps, "reset", token)).email };
}

const renderReset = (email: string, state: FormState, ctx: OpenContext): PageContent => ({
  title: "Choose a new password",
  subtitle: html`For <b>${email}</b>. You will be signed out everywhere.`,
  body: resetForm.render({
    action: `${ctx.base}/reset`,
    hidden: ctx.hidden(),
    state,
    submit: "Set password",
  }),
});

const renderRequest = (deps: AccessDeps, state: FormState, ctx: OpenContext): PageContent => ({
  title: "Reset your password",
  subtitle: "We send you a link that is valid for 30 minutes.",
  body: stack(
    deps.sendsMail ? undefined : noMail(deps.site),
    requestForm.render({
      action: `${ctx.base}/reset/request`,
      hidden: ctx.hidden(),
      state,
      submit: "Send link",
      cancelHref: `${ctx.base}/sign-in`,
    }),
  ),
});

const noMail = ({ helper }: Site) =>
  notice(
    "warn",
    "This server sends no email",
    `No link can reach you. Ask ${helper} to remove you and invite you again.`,
  );

/** The same words whether or not the address has an account. */
const renderSent = (deps: AccessDeps, ctx: OpenContext): PageContent => ({
  title: "Check your email",
  body: stack(
    html`<p>If this address has an account, a link is on its way. It is valid for 30 minutes. Nothing has arrived? Look in your spam folder, or check the address and try again.</p>`,
    deps.sendsMail ? undefined : noMail(deps.site),
    html`<div class="row">${linkButton("Back to sign in", `${ctx.base}/sign-in`)}</div>`,
  ),
});
