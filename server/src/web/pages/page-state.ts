import type { FastifyReply, FastifyRequest } from "fastify";
import { FORM_ID_FIELD, hiddenFields, newFormId, TOKEN_FIELD } from "../form/hidden-fields.ts";
import type { FormBody } from "../form/parse-form-body.ts";
import type { Uploads } from "../form/read-upload.ts";
import type { PageSetting } from "../layout/frame.ts";
import { isTheme, THEME_COOKIE } from "../layout/theme.ts";
import { readCookie, serialiseCookie, sessionCookieName } from "../security/cookies.ts";
import { FLASH_COOKIE, openFlash } from "../security/flash-cookie.ts";
import { isTokenOf } from "../security/form-token.ts";
import { NOTHING } from "../template/html.ts";
import type { BaseSession, PageContext, WaitingForm, Will } from "./define-page.ts";
import type { FaceOptions } from "./face.ts";

const sessions = new WeakMap<FastifyRequest, BaseSession | undefined>();

/** The session that the guard found for a request, as it was when the request began. */
export const sessionOf = <Session extends BaseSession>(request: FastifyRequest): Session | undefined =>
  sessions.get(request) as Session | undefined;

export const keepSession = (request: FastifyRequest, session: BaseSession | undefined): void =>
  void sessions.set(request, session);

const waited = new WeakMap<FastifyRequest, WaitingForm>();

/** From now on the request stands for the form that waited. Its token was judged when the form was sent, and that of the proof now. */
export const standFor = (request: FastifyRequest, form: WaitingForm): void => void waited.set(request, form);

export const isWaiting = (request: FastifyRequest): boolean => waited.has(request);

/** The path as it is registered. */
export const pathOf = (request: FastifyRequest): string =>
  waited.get(request)?.path ?? request.routeOptions.url ?? "";

const wills = new WeakMap<FastifyRequest, Will>();

/** What a form that is asked for proof will do. */
export const keepWill = (request: FastifyRequest, will: Will): void => void wills.set(request, will);
export const willOf = (request: FastifyRequest): Will | undefined => wills.get(request);

const uploads = new WeakMap<FastifyRequest, Uploads>();
const NO_FILES: Uploads = new Map();

/** The files that came with a form. */
export const keepFiles = (request: FastifyRequest, files: Uploads): void => void uploads.set(request, files);

export const isSecure = ({ publicUrl }: { publicUrl: () => string | undefined }): boolean =>
  publicUrl()?.startsWith("https:") ?? false;

export const readSessionCookie = (
  options: { publicUrl: () => string | undefined; cookieName?: string },
  request: FastifyRequest,
): string | undefined =>
  readCookie(request.headers.cookie, sessionCookieName(isSecure(options), options.cookieName));

export function contextOf<Session extends BaseSession, Permission extends string>(
  options: FaceOptions<Session, Permission>,
  request: FastifyRequest,
  reply: FastifyReply,
): PageContext<Session> {
  const session = sessionOf<Session>(request);
  const token = session?.formToken ?? "";
  const form = waited.get(request);
  return {
    // Handlers of pages that need a session have checked that there is one.
    session: session as Session,
    params: form?.params ?? (request.params as Record<string, string>),
    query: form?.query ?? firstOfEach(request.query as Record<string, string | string[]>),
    base: options.base,
    url: form?.url ?? request.url,
    files: uploads.get(request) ?? NO_FILES,
    requestId: request.id,
    address: options.addressOf(request),
    userAgent: request.headers["user-agent"] ?? "",
    now: options.clock.now(),
    hidden: ({ once = false } = {}) =>
      token === "" && !once ? NOTHING : hiddenFields({ token, ...(once ? { formId: newFormId() } : {}) }),
    setSession: (cookie, maxAgeSeconds) => {
      const secure = isSecure(options);
      const age = cookie === undefined ? 0 : maxAgeSeconds;
      const text = serialiseCookie(sessionCookieName(secure, options.cookieName), cookie ?? "", {
        isSecure: secure,
        ...(age === undefined ? {} : { maxAgeSeconds: age }),
      });
      reply.header("set-cookie", text);
    },
  };
}

/** What the frame of every page needs, beside what the face says. A sentence of the page before is shown once. */
export function settingOf<Session extends BaseSession, Permission extends string>(
  options: FaceOptions<Session, Permission>,
  request: FastifyRequest,
  reply: FastifyReply,
): PageSetting {
  const { cookie } = request.headers;
  const token = sessionOf(request)?.formToken ?? "";
  const theme = readCookie(cookie, THEME_COOKIE);
  const sealed = readCookie(cookie, FLASH_COOKIE);
  if (sealed !== undefined)
    reply.header(
      "set-cookie",
      serialiseCookie(FLASH_COOKIE, "", { isSecure: isSecure(options), maxAgeSeconds: 0 }),
    );
  return {
    url: waited.get(request)?.url ?? request.url,
    now: options.clock.now(),
    // A page that answers a form has no address to come back to.
    back: request.method === "GET" ? request.url : options.base || "/",
    theme: isTheme(theme) ? theme : "system",
    themeAction: `${options.base}/theme`,
    assets: options.assets,
    token,
    flash: openFlash(options.flashKey, token, sealed) ?? openFlash(options.flashKey, "", sealed),
  };
}

export const bodyOf = (request: FastifyRequest): FormBody =>
  waited.get(request)?.form ?? (request.body as FormBody | undefined) ?? new Map<string, readonly string[]>();

export const hasToken = (request: FastifyRequest, session: BaseSession): boolean => {
  if (waited.has(request)) return true;
  const given = bodyOf(request).get(TOKEN_FIELD);
  return given?.length === 1 && isTokenOf(given[0], session.formToken);
};

export const formIdOf = (request: FastifyRequest): string => bodyOf(request).get(FORM_ID_FIELD)?.[0] ?? "";

const firstOfEach = (query: Readonly<Record<string, string | string[]>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      typeof value === "string" ? value : (value[0] ?? ""),
    ]),
  );
