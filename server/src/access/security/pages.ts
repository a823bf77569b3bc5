import { listPasskeys } from "../../accounts/factors/change-passkeys.ts";
import { getFactors } from "../../accounts/factors/get-factors.ts";
import { endSession, listSessions } from "../../accounts/sessions/end-session.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { hiddenField } from "../../web/form/text-fields.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { changeCookie } from "../change-cookie.ts";
import { type AccessContext, type AccessDeps, type AccessFace, at, OWN_ACCOUNT } from "../site.ts";
import { passkeyPages } from "./passkey-pages.ts";
import { passwordPages } from "./password-page.ts";
import { renderSecurity, type SecurityData } from "./security-page.ts";
import { totpPages } from "./totp-pages.ts";

const idForm = defineForm({ id: hiddenField("Id") });

/** One's own account. Everyone who is signed in has these pages. */
export function securityPages(face: AccessFace, deps: AccessDeps): void {
  const path = `${deps.site.base}/security`;
  const load = (ctx: AccessContext) => loadSecurity(deps, ctx);
  face.page({ path, permission: OWN_ACCOUNT, load, render: renderSecurity });
  face.action({
    path: `${path}/sessions/end`,
    permission: OWN_ACCOUNT,
    form: idForm,
    async run({ id }, ctx) {
      await endSession(deps.accounts, ctx.session.account, id, ctx);
      if (id !== ctx.session.account.id) return redirect(at(ctx, "/security"), "The session was ended.");
      changeCookie(deps, ctx, undefined);
      return redirect(`${ctx.base}/sign-in`, "You are signed out.");
    },
    again: async (_state, ctx) => renderSecurity(await load(ctx), ctx),
  });
  passwordPages(face, deps);
  totpPages(face, deps);
  passkeyPages(face, deps);
}

async function loadSecurity(deps: AccessDeps, ctx: AccessContext): Promise<SecurityData> {
  const { account } = ctx.session;
  const [factors, passkeys, sessions] = await Promise.all([
    getFactors(deps.accounts, account),
    listPasskeys(deps.accounts, account),
    listSessions(deps.accounts, account),
  ]);
  return { factors, passkeys, sessions };
}
