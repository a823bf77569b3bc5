import type { StartedSession } from "../../accounts/sessions/start-session.ts";
import { type ActionResult, type PageContext, redirect } from "../../web/pages/define-page.ts";
import { changeCookie } from "../change-cookie.ts";
import { localBack } from "../local-back.ts";
import type { DashboardDeps, DashboardSession } from "../session.ts";

/** A page that needs no session. There may be one all the same. */
export type OpenContext = PageContext<DashboardSession | undefined>;

/** The browser gets its cookie and goes on to where its person wanted to be. */
export function enter(
  deps: DashboardDeps,
  ctx: OpenContext,
  { cookie }: Pick<StartedSession, "cookie">,
  back: string | undefined,
): ActionResult {
  changeCookie(deps, ctx, cookie);
  return redirect(localBack(back));
}
