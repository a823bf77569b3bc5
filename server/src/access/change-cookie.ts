import { formToken } from "../accounts/sessions/session-id.ts";
import { SESSION_MAX_MS } from "../accounts/sessions/session-life.ts";
import type { Secret } from "../lib/secret.ts";
import type { AccessDeps, OpenContext } from "./site.ts";

/** Gives the browser a new cookie with this answer, or takes it away. Forms of this very answer already fit the new one. */
export function changeCookie(
  deps: Pick<AccessDeps, "accounts">,
  ctx: OpenContext,
  cookie: Secret<string> | undefined,
): void {
  ctx.setSession(cookie?.reveal(), SESSION_MAX_MS / 1_000);
  if (ctx.session)
    ctx.session.formToken = cookie === undefined ? "" : formToken(deps.accounts.accountKey, cookie.reveal());
}
