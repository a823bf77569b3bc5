import { getFactors } from "../accounts/factors/get-factors.ts";
import { Refusal } from "../accounts/refusal.ts";
import type { Detour, SentRequest } from "../web/pages/face.ts";
import { linkButton } from "../web/parts/button.ts";
import { html } from "../web/template/html.ts";
import { href } from "../web/template/safe-url.ts";
import { carryForm } from "./sign-in/carried-form.ts";
import { renderConfirmFor } from "./sign-in/confirm-page.ts";
import { type AccessContext, type AccessDeps, at, type OpenContext } from "./site.ts";

const GONE = 410;
const FORBIDDEN = 403;

/** Refusals that lead to a page on which the person can do something about them. */
export async function findDetour(
  deps: AccessDeps,
  error: unknown,
  ctx: OpenContext,
  { method, form }: SentRequest,
): Promise<Detour | undefined> {
  if (!(error instanceof Refusal)) return undefined;
  if (error.code === "link_unusable") return { page: unusableLink(error.message, ctx), status: GONE };
  if (!ctx.session) return undefined;
  if (error.code === "factor_needed" && ctx.session.account.mustAddFactor)
    return { redirect: at(ctx, "/add-factor") };
  if (error.code !== "proof_needed") return undefined;
  if (method === "GET")
    return { redirect: href(`${ctx.base}/confirm`, { back: ctx.url, env: ctx.query.env }) };
  const factors = await getFactors(deps.accounts, ctx.session.account);
  const page = renderConfirmFor(factors, carryForm(ctx.url, form), ctx as AccessContext);
  return { page, status: FORBIDDEN };
}

const unusableLink = (reason: string, ctx: OpenContext) => ({
  title: "This link does not work",
  body: html`<div class="stack"><p>${reason}</p><div class="row">${linkButton("Sign in", `${ctx.base}/sign-in`, { kind: "main" })}${linkButton("Reset your password", `${ctx.base}/reset`)}</div></div>`,
});
