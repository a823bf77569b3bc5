import type { FastifyReply, FastifyRequest } from "fastify";
import { toProblem } from "../../http/send-problem.ts";
import { Problem } from "../../lib/problem.ts";
import { type Fields, type FormState, refuseForm, type ValuesOf } from "../form/define-form.ts";
import { isFormId } from "../form/hidden-fields.ts";
import { serialiseCookie } from "../security/cookies.ts";
import { FLASH_COOKIE, FLASH_MAX_AGE_SECONDS, sealFlash } from "../security/flash-cookie.ts";
import { isLocalPath } from "../template/safe-url.ts";
import type { ActionResult, BaseSession, FormAction, PageContext, VisitedLink, Will } from "./define-page.ts";
import type { FaceOptions } from "./face.ts";
import { assertMay, PUBLIC, sendToSignIn } from "./page-handler.ts";
import {
  bodyOf,
  contextOf,
  formIdOf,
  hasToken,
  isSecure,
  isWaiting,
  keepWill,
  sessionOf,
} from "./page-state.ts";
import { sendPage } from "./send-page.ts";

/** Refusals that a person can do something about in the form itself. */
const AT_THE_FORM: ReadonlySet<number> = new Set([400, 402, 409, 422]);

/** Session, token, permission, fields, once, verb; then a redirect, or the form again with what was typed. */
export const formHandler =
  <Session extends BaseSession, Permission extends string, F extends Fields>(
    options: FaceOptions<Session, Permission>,
    action: FormAction<Session, Permission, F>,
    goOn: GoOn,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const isPublic = action.permission === PUBLIC;
    if (!isPublic) assertSession(request);
    const ctx = contextOf(options, request, reply);
    if (!isPublic) assertMay(options, ctx, action.permission);
    const again = async (state: FormState, status: number) =>
      sendPage(options, request, reply.code(status), await action.again(state, ctx), isPublic);
    const { values, state } = action.form.read(bodyOf(request));
    const judged = request.headers["x-up-validate"];
    if (typeof judged === "string") return again(onlyErrorsOf(state, judged), 422);
    if (values === undefined) return again(state, 422);
    const refuse = async (error: unknown) => {
      const problem = toProblem(
        { baseUrl: () => "", translate: options.translate ?? (() => undefined) },
        error,
      );
      if (!AT_THE_FORM.has(problem.status)) throw error;
      const refused = refuseForm(state, action.form.fields, problem.message, problem.options.errors);
      return again(refused, problem.status === 400 ? 422 : problem.status);
    };
    // A form that waited was claimed when it went on.
    if (action.once && !isWaiting(request)) await claimForm(options, ctx.session, formIdOf(request));
    try {
      const result = await action.run(values, ctx);
      if ("goOn" in result) return await goOn(request, reply, result);
      return await answer(options, request, reply, ctx, result, isPublic);
    } catch (error) {
      if (options.needsProof?.(error) !== true) return refuse(error);
      try {
        keepWill(request, await foresee(action, values, state, ctx));
      } catch (refusal) {
        return await refuse(refusal);
      }
      throw error;
    }
  };

/** Runs a form that waited, in place of the one that was sent. */
export type GoOn = (
  request: FastifyRequest,
  reply: FastifyReply,
  waiting: Extract<ActionResult, { goOn: unknown }>,
) => Promise<FastifyReply>;

/** What sending the form does, or its refusal where that is known already. */
async function foresee<Session, Permission extends string, F extends Fields>(
  { does, form: { fields } }: FormAction<Session, Permission, F>,
  values: ValuesOf<F>,
  { typed }: FormState,
  ctx: PageContext<Session>,
): Promise<Will> {
  return {
    sentence: typeof does === "function" ? await does(values, ctx) : does,
    typed: Object.entries(fields).flatMap(([name, { label, say }]) => {
      const text = say?.(typed[name] ?? []) ?? "";
      return text === "" ? [] : [[label, text] as const];
    }),
    isFile: false,
  };
}

/** Session, permission, verb; then a redirect, or a page. */
export const visitHandler =
  <Session extends BaseSession, Permission extends string>(
    options: FaceOptions<Session, Permission>,
    link: VisitedLink<Session, Permission>,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const isPublic = link.permission === PUBLIC;
    if (!isPublic && !sessionOf(request)) return sendToSignIn(options, request, reply);
    const ctx = contextOf(options, request, reply);
    if (!isPublic) assertMay(options, ctx, link.permission);
    const result = await link.run(ctx);
    if ("goOn" in result) throw new Error("a link has no form that waits");
    return answer(options, request, reply, ctx, result, isPublic);
  };

/** For a form that is still being filled in: no error at a field that nobody has come to yet. */
const onlyErrorsOf = (state: FormState, names: string): FormState => {
  const asked = new Set(names.split(" "));
  return {
    ...state,
    errors: Object.fromEntries(Object.entries(state.errors).filter(([name]) => asked.has(name))),
  };
};

/** A form of a session that has ended, or that another session's page made, changes nothing and says so. */
export function assertSession(request: FastifyRequest): void {
  const session = sessionOf(request);
  if (!session) throw new Problem("unauthenticated", "Your session has ended. Nothing was changed.");
  if (request.method === "POST" && !hasToken(request, session))
    throw new Problem("forbidden", "This form belongs to another session. Open the page again.");
}

/** A form is run once, however often it is sent. */
export async function claimForm<Session extends BaseSession, Permission extends string>(
  { claimFormId }: FaceOptions<Session, Permission>,
  session: Session,
  formId: string,
): Promise<void> {
  if (isFormId(formId) && (await claimFormId?.(session, formId))) return;
  // Not a refusal of what was typed: the form is not shown again, to be sent a third time. The first time may have ended in an
  // error, so this does not say that it was done.
  throw new Problem(
    "idempotency_conflict",
    "This form was sent before and is not run twice. Check whether it was done the first time. If it was not, open its page again.",
  );
}

async function answer<Session extends BaseSession, Permission extends string>(
  options: FaceOptions<Session, Permission>,
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: PageContext<Session>,
  result: Exclude<ActionResult, { goOn: unknown }>,
  isPublic: boolean,
): Promise<FastifyReply> {
  if ("page" in result) return sendPage(options, request, reply, result.page, isPublic);
  if (!isLocalPath(result.redirect)) throw new Error("a form may only lead to a page of ours");
  if (result.flash) {
    const sealed = sealFlash(options.flashKey, ctx.session?.formToken ?? "", result.flash);
    const cookie = { isSecure: isSecure(options), maxAgeSeconds: FLASH_MAX_AGE_SECONDS };
    reply.header("set-cookie", serialiseCookie(FLASH_COOKIE, sealed, cookie));
  }
  return reply.redirect(result.redirect, 303);
}
