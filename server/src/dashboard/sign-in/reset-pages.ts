import { requestReset, resetPassword } from "../../accounts/passwords/reset-password.ts";
import { readLink } from "../../accounts/people/account-link.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { hiddenField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect, showOnce } from "../../web/pages/define-page.ts";
import { linkButton } from "../../web/parts/button.ts";
import { notice } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import { BASE, type DashboardDeps, type DashboardFace } from "../session.ts";
import { newPasswordField } from "./accept-page.ts";
import type { OpenContext } from "./enter.ts";

const requestForm = defineForm({
  email: textField({ label: "Email", required: true, type: "email", autocomplete: "username" }),
});

const resetForm = defineForm({ password: newPasswordField("New password"), token: hiddenField("Link") });

type Asked = { token: string; email: string } | undefined;

/** One address for both: with a link it sets the password, without one it asks where to send it. */
export function resetPages(face: DashboardFace, deps: DashboardDeps): void {
  const path = `${BASE}/reset`;
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
      await resetPassword(deps.accounts, values, ctx.address);
      return redirect(`${BASE}/sign-in`, "Your password was changed. Sign in with it.");
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
      await requestReset(deps.accounts, "dashboard", { email }, ctx.address);
      return showOnce(renderSent(deps));
    },
    again: async (state, ctx) => renderRequest(deps, state, ctx),
  });
}

async function loadReset(deps: DashboardDeps, token: string | undefined): Promise<Asked> {
  if (token === undefined) return undefined;
  return { token, email: (await readLink(deps.accounts, "reset", token)).email };
}

const renderReset = (email: string, state: FormState, ctx: OpenContext): PageContent => ({
  title: "Choose a new password",
  subtitle: html`For <b>${email}</b>. You will be signed out everywhere.`,
  body: resetForm.render({ action: `${BASE}/reset`, hidden: ctx.hidden(), state, submit: "Set password" }),
});

const renderRequest = (deps: DashboardDeps, state: FormState, ctx: OpenContext): PageContent => ({
  title: "Reset your password",
  subtitle: "We send you a link that is valid for 30 minutes.",
  body: stack(
    deps.sendsMail ? undefined : noMail(),
    requestForm.render({
      action: `${BASE}/reset/request`,
      hidden: ctx.hidden(),
      state,
      submit: "Send link",
      cancelHref: `${BASE}/sign-in`,
    }),
  ),
});

const noMail = () =>
  notice(
    "warn",
    "This server sends no email",
    "No link can reach you. Ask an owner of your team to remove you and invite you again.",
  );

/** The same words whether or not the address has an account. */
const renderSent = (deps: DashboardDeps): PageContent => ({
  title: "Check your email",
  body: stack(
    html`<p>If this address has an account, a link is on its way. It is valid for 30 minutes. Nothing has arrived? Look in your spam folder, or check the address and try again.</p>`,
    deps.sendsMail ? undefined : noMail(),
    html`<div class="row">${linkButton("Back to sign in", `${BASE}/sign-in`)}</div>`,
  ),
});
