import type { StartedSession } from "../../accounts/sessions/start-session.ts";
import { type ActionResult, redirect } from "../../web/pages/define-page.ts";
import { changeCookie } from "../change-cookie.ts";
import { localBack } from "../local-back.ts";
import type { AccessDeps, OpenContext } from "../site.ts";

/** The browser gets its cookie and goes on to where its person wanted to be. */
export function enter(
  deps: AccessDeps,
  ctx: OpenContext,
  { cookie }: Pick<StartedSession, "cookie">,
  back: string | undefined,
): ActionResult {
  changeCookie(deps, ctx, cookie);
  return redirect(localBack(ctx, back));
}
