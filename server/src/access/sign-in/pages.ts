import { openEntry } from "../../accounts/people/open-entry.ts";
import { signOut } from "../../accounts/sessions/end-session.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { changeCookie } from "../change-cookie.ts";
import { type AccessDeps, type AccessFace, OWN_ACCOUNT } from "../site.ts";
import { acceptPages } from "./accept-page.ts";
import { addFactorPage } from "./add-factor-page.ts";
import { confirmPages } from "./confirm-page.ts";
import { enter } from "./enter.ts";
import { readLinkOf } from "./read-link-of.ts";
import { resetPages } from "./reset-pages.ts";
import { secondFactorPages } from "./second-factor-page.ts";
import { signInPages } from "./sign-in-page.ts";

/** Everything between a person and their session. */
export function accessPages(face: AccessFace, deps: AccessDeps): void {
  signInPages(face, deps);
  secondFactorPages(face, deps);
  acceptPages(face, deps);
  resetPages(face, deps);
  confirmPages(face, deps);
  addFactorPage(face, deps);
  face.open.visit({
    path: `${deps.site.base}/enter`,
    permission: "public",
    async run(ctx) {
      const token = ctx.query.token ?? "";
      await readLinkOf(deps, "enter", token);
      return enter(deps, ctx, await openEntry(deps.accounts, token, ctx), undefined);
    },
  });
  face.action({
    path: `${deps.site.base}/sign-out`,
    permission: OWN_ACCOUNT,
    form: defineForm({}),
    async run(_values, ctx) {
      await signOut(deps.accounts, ctx.session.account);
      changeCookie(deps, ctx, undefined);
      return redirect(`${ctx.base}/sign-in`, "You are signed out.");
    },
    again: async () => ({ title: "Sign out", body: "" }),
  });
}
