import { getFactors } from "../accounts/factors/get-factors.ts";
import { Refusal } from "../accounts/refusal.ts";
import { releaseForm } from "../accounts/sessions/claim-form.ts";
import { FORM_ID_FIELD } from "../web/form/hidden-fields.ts";
import type { PageContent } from "../web/layout/frame.ts";
import type { Detour, SentRequest } from "../web/pages/face.ts";
import { linkButton } from "../web/parts/button.ts";
import { html } from "../web/template/html.ts";
import { href } from "../web/template/safe-url.ts";
import { carryForm } from "./sign-in/carried-form.ts";
import { renderConfirmFor } from "./sign-in/confirm-page.ts";
import { type AccessContext, type AccessDeps, at, type OpenContext } from "./site.ts";

const GONE = 410;
const FORBIDDEN = 403;

export const needsProof = (error: unknown): boolean =>
  error instanceof Refusal && error.code === "proof_needed";

/** Refusals that lead to a page on which the person can do something about them. */
export async function findDetour(
  deps: AccessDeps,
  error: unknown,
  ctx: OpenContext,
  sent: SentRequest,
): Promise<Detour | undefined> {
  if (!(error instanceof Refusal)) return undefined;
  if (error.code === "link_unusable") return { page: unusableLink(error.message, ctx), status: GONE };
  if (!ctx.session) return undefined;
  if (error.code === "factor_needed" && ctx.session.account.mustAddFactor)
    return { redirect: at(ctx, "/add-factor") };
  if (!needsProof(error)) return undefined;
  if (sent.method === "GET")
    return { redirect: href(`${ctx.base}/confirm`, { back: ctx.url, env: ctx.query.env }) };
  return { page: await askForProof(deps, ctx as AccessContext, sent), status: FORBIDDEN };
}

/** In place of the form's answer. Nothing was done, so the form may be sent once more, such as by a reload. */
async function askForProof(
  deps: AccessDeps,
  ctx: AccessContext,
  { path, form, will = NOT_FORESEEN }: SentRequest,
): Promise<PageContent> {
  const { account } = ctx.session;
  const { url, params, query, now } = ctx;
  await releaseForm(deps.accounts, account, form.get(FORM_ID_FIELD)?.[0] ?? "");
  const waiting = { path, url, params, query, form };
  const carried = carryForm(deps.accounts, account, waiting, will, now);
  return renderConfirmFor(await getFactors(deps.accounts, account), { carried, will }, ctx);
}

const NOT_FORESEEN = { sentence: undefined, typed: [], isFile: false };

const unusableLink = (reason: string, ctx: OpenContext) => ({
  title: "This link does not work",
  body: html`<div class="stack"><p>${reason}</p><div class="row">${linkButton("Sign in", `${ctx.base}/sign-in`, { kind: "main" })}${linkButton("Reset your password", `${ctx.base}/reset`)}</div></div>`,
});
