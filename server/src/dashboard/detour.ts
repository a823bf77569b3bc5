import { getFactors } from "../accounts/factors/get-factors.ts";
import { Refusal } from "../accounts/refusal.ts";
import type { PageContext } from "../web/pages/define-page.ts";
import type { Detour, SentRequest } from "../web/pages/face.ts";
import { linkButton } from "../web/parts/button.ts";
import { html } from "../web/template/html.ts";
import { href } from "../web/template/safe-url.ts";
import { BASE, type DashboardContext, type DashboardDeps, type DashboardSession, here } from "./session.ts";
import { carryForm } from "./sign-in/carried-form.ts";
import { renderConfirmFor } from "./sign-in/confirm-page.ts";

const GONE = 410;
const FORBIDDEN = 403;

/** Refusals that lead to a page on which the person can do something about them. */
export async function findDetour(
  deps: DashboardDeps,
  error: unknown,
  ctx: PageContext<DashboardSession | undefined>,
  { method, form }: SentRequest,
): Promise<Detour | undefined> {
  if (!(error instanceof Refusal)) return undefined;
  if (error.code === "link_unusable") return { page: unusableLink(error.message), status: GONE };
  if (!ctx.session) return undefined;
  if (error.code === "factor_needed" && ctx.session.account.mustAddFactor)
    return { redirect: here(ctx, `${BASE}/add-factor`) };
  if (error.code !== "proof_needed") return undefined;
  if (method === "GET") return { redirect: href(`${BASE}/confirm`, { back: ctx.url, env: ctx.query.env }) };
  const factors = await getFactors(deps.accounts, ctx.session.account);
  const page = renderConfirmFor(factors, carryForm(ctx.url, form), ctx as DashboardContext);
  return { page, status: FORBIDDEN };
}

const unusableLink = (reason: string) => ({
  title: "This link does not work",
  body: html`<div class="stack"><p>${reason}</p><div class="row">${linkButton("Sign in", `${BASE}/sign-in`, { kind: "main" })}${linkButton("Reset your password", `${BASE}/reset`)}</div></div>`,
});
