import type { AccountRow } from "../../accounts/account-queries.ts";
import { PASSWORD_MIN_CHARACTERS } from "../../accounts/passwords/password-rules.ts";
import { acceptInvitation } from "../../accounts/people/accept-invitation.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { hiddenField, passwordField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { html } from "../../web/template/html.ts";
import { changeCookie } from "../change-cookie.ts";
import type { AccessDeps, AccessFace, OpenContext } from "../site.ts";
import { readLinkOf } from "./read-link-of.ts";

export const newPasswordField = (label: string) =>
  passwordField({
    label,
    required: true,
    autocomplete: "new-password",
    minLength: PASSWORD_MIN_CHARACTERS,
    hint: `At least ${PASSWORD_MIN_CHARACTERS} characters. Three or four words that nobody would guess are fine.`,
  });

const acceptForm = defineForm({
  name: textField({ label: "Your name", autocomplete: "name" }),
  password: newPasswordField("Password"),
  token: hiddenField("Link"),
});

type Invitation = { account: AccountRow; teamName: string };

/** Opening the link changes nothing: mail programs open links too. The form uses it up. */
export function acceptPages(face: AccessFace, deps: AccessDeps): void {
  const path = `${deps.site.base}/accept`;
  face.open.page({
    path,
    permission: "public",
    load: (ctx) => loadInvitation(deps, ctx.query.token ?? ""),
    render: (invitation, ctx) =>
      renderAccept(
        invitation,
        acceptForm.start({ token: ctx.query.token ?? "", name: invitation.account.name }),
        ctx,
      ),
  });
  face.open.action({
    path,
    permission: "public",
    form: acceptForm,
    async run({ token, name, password }, ctx) {
      await readLinkOf(deps, "invite", token);
      const { cookie } = await acceptInvitation(deps.accounts, { token, name, password }, ctx);
      changeCookie(deps, ctx, cookie);
      return redirect(`${ctx.base}/add-factor`, "Welcome. Your account is ready.");
    },
    again: async (state, ctx) =>
      renderAccept(await loadInvitation(deps, state.typed.token?.[0] ?? ""), state, ctx),
  });
}

async function loadInvitation(deps: AccessDeps, token: string): Promise<Invitation> {
  const account = await readLinkOf(deps, "invite", token);
  return { account, teamName: await deps.site.teamName(account) };
}

const renderAccept = (
  { account, teamName }: Invitation,
  state: FormState,
  ctx: OpenContext,
): PageContent => ({
  title: `Join ${teamName}`,
  subtitle: html`You were invited as ${account.role}. You will sign in as <b>${account.email}</b>.`,
  body: acceptForm.render({
    action: `${ctx.base}/accept`,
    hidden: ctx.hidden(),
    state,
    submit: "Set password",
  }),
});
