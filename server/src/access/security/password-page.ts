import { type Factors, getFactors } from "../../accounts/factors/get-factors.ts";
import { changePassword } from "../../accounts/passwords/change-password.ts";
import { Refusal } from "../../accounts/refusal.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { passwordField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { panel } from "../../web/parts/panel.ts";
import { changeCookie } from "../change-cookie.ts";
import { newPasswordField } from "../sign-in/accept-page.ts";
import { type AccessContext, type AccessDeps, type AccessFace, at, OWN_ACCOUNT } from "../site.ts";

const changeForm = defineForm({
  current: passwordField({ label: "Current password", required: true, autocomplete: "current-password" }),
  password: newPasswordField("New password"),
});
const firstForm = defineForm({ password: newPasswordField("New password") });
/** Reads what either of the two sends. */
const eitherForm = defineForm({
  current: passwordField({ label: "Current password", autocomplete: "current-password" }),
  password: newPasswordField("New password"),
});

/** Changes the password, or sets the first one of an account that came in by a link. */
export function passwordPages(face: AccessFace, deps: AccessDeps): void {
  const path = `${deps.site.base}/security/password`;
  const load = (ctx: AccessContext) => getFactors(deps.accounts, ctx.session.account);
  face.page({
    path,
    permission: OWN_ACCOUNT,
    load,
    render: (factors, ctx) => renderPassword(factors, changeForm.start(), ctx),
  });
  face.action({
    path,
    permission: OWN_ACCOUNT,
    form: eitherForm,
    async run({ current, password }, ctx) {
      const input = { current: current === "" ? undefined : current, password };
      const { account } = ctx.session;
      const cookie = await changePassword(deps.accounts, account, input, ctx.address).catch(atCurrent);
      changeCookie(deps, ctx, cookie);
      return redirect(
        at(ctx, "/security"),
        "Your password was changed. You were signed out everywhere else.",
      );
    },
    again: async (state, ctx) => renderPassword(await load(ctx), state, ctx),
  });
}

/** Proof is refused at the password. In this form the password that proves is the current one. */
function atCurrent(error: unknown): never {
  if (error instanceof Refusal && error.code === "proof_refused")
    throw new Refusal(error.code, error.message, "current");
  throw error;
}

const renderPassword = ({ hasPassword }: Factors, state: FormState, ctx: AccessContext): PageContent => ({
  title: hasPassword ? "Change password" : "Set a password",
  crumbs: [{ label: "Security", href: at(ctx, "/security") }],
  body: panel(
    {},
    (hasPassword ? changeForm : firstForm).render({
      action: at(ctx, "/security/password"),
      hidden: ctx.hidden(),
      state,
      submit: "Set password",
      cancelHref: at(ctx, "/security"),
    }),
  ),
});
