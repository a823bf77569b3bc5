import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../../lib/problem.ts";
import type { Fields } from "../form/define-form.ts";
import { answerWithPages } from "./answer-with-pages.ts";
import type {
  BaseSession,
  FormAction,
  ReadDownload,
  ReadPage,
  RegisteredPage,
  VisitedLink,
} from "./define-page.ts";
import { downloadHandler } from "./download-handler.ts";
import type { FaceOptions } from "./face.ts";
import { claimForm, formHandler, type GoOn, visitHandler } from "./form-handler.ts";
import { guardFace } from "./guard-face.ts";
import { here } from "./here.ts";
import { pageHandler } from "./page-handler.ts";
import { keepSession, standFor } from "./page-state.ts";
import { readForms, TAKES_FILES } from "./read-forms.ts";
import { themeHandler } from "./theme-handler.ts";

/** Where a face's sections add their pages. */
export type Face<Session extends BaseSession, Permission extends string> = PageKinds<Session, Permission> & {
  /** Pages that need no session, in the plain frame. Their permission is `public`. */
  open: PageKinds<Session | undefined, "public">;
};

type PageKinds<Session, Permission extends string> = {
  page<Data>(page: ReadPage<Session, Permission, Data>): void;
  action<F extends Fields>(action: FormAction<Session, Permission, F>): void;
  download(download: ReadDownload<Session, Permission>): void;
  visit(link: VisitedLink<Session, Permission>): void;
};

/**
 * Puts a face on an app, in a separate Fastify context: its bodies, errors and headers are those of pages, and nothing of it is
 * in the API reference. The list that it returns is complete once the app is ready.
 */
export function serveFace<Session extends BaseSession, Permission extends string>(
  app: FastifyInstance,
  options: FaceOptions<Session, Permission>,
  addPages: (face: Face<Session, Permission>) => void,
): readonly RegisteredPage[] {
  const pages: RegisteredPage[] = [];
  app.register(async (child) => {
    readForms(child);
    guardFace(child, options);
    answerWithPages(child, options);
    const forms: Forms = new Map();
    const kinds = pageKinds(child, options, pages, forms);
    addPages({ ...kinds, open: kinds as unknown as PageKinds<Session | undefined, "public"> });
    const theme = `${options.base}/theme`;
    child.post(theme, themeHandler(options));
    forms.set(theme, { handler: themeHandler(options) });
    pages.push({ method: "POST", path: theme, permission: "public", kind: "form" });
    leadToForms(child, options, pages, forms);
  });
  return pages;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
/** What answers a POST, by its registered path, with the page of its form where that is said. */
type Forms = Map<string, { handler: Handler; page?: string | undefined }>;

/** The form that waited goes on in the session that its proof has renewed: what its person may do now is asked again. */
const runWaiting =
  <Session extends BaseSession, Permission extends string>(
    options: FaceOptions<Session, Permission>,
    forms: Forms,
  ): GoOn =>
  async (request, reply, { goOn, formId, cookie }) => {
    const form = forms.get(goOn.path);
    const session = await options.authenticate(cookie, request);
    keepSession(request, session);
    if (!form || !session) throw new Problem("forbidden", "This form cannot go on. Open its page again.");
    await claimForm(options, session, formId);
    standFor(request, goOn);
    return form.handler(request, reply);
  };

/** The address of a form is opened again by a browser that reloads: it leads to the page that has the form. */
function leadToForms<Session extends BaseSession, Permission extends string>(
  child: FastifyInstance,
  options: FaceOptions<Session, Permission>,
  pages: readonly RegisteredPage[],
  forms: Forms,
): void {
  const read = new Set(pages.filter(({ method }) => method === "GET").map(({ path }) => path));
  const above = (path: string): string => {
    const end = path.lastIndexOf("/");
    const next = path.slice(0, Math.max(end, options.base.length)) || options.base || "/";
    return read.has(next) || next === path ? next : above(next);
  };
  for (const [path, { page = above(path) }] of forms) {
    if (read.has(path)) continue;
    if (!read.has(page)) throw new Error(`${path} has no page: ${page} is none`);
    child.get(path, async (request, reply) => {
      const params = request.params as Readonly<Record<string, string>>;
      const to = page.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? ""));
      return reply.redirect(here({ query: request.query as { env?: string } }, to), 303);
    });
  }
}

/** A page whose permission is `public` asks for no session; all others do. */
function pageKinds<Session extends BaseSession, Permission extends string>(
  child: FastifyInstance,
  options: FaceOptions<Session, Permission>,
  pages: RegisteredPage[],
  forms: Forms,
): PageKinds<Session, Permission> {
  const note = (method: "GET" | "POST", path: string, permission: string, kind: RegisteredPage["kind"]) => {
    if (path !== options.base && !path.startsWith(`${options.base}/`))
      throw new Error(`${path} is not below ${options.base}`);
    pages.push({ method, path, permission, kind });
  };
  return {
    page(page) {
      note("GET", page.path, page.permission, "page");
      child.get(page.path, pageHandler(options, page));
    },
    action(action) {
      if (action.once && !options.claimFormId) throw new Error(`${action.path} needs claimFormId`);
      note("POST", action.path, action.permission, "form");
      const handler = formHandler(options, action, runWaiting(options, forms));
      forms.set(action.path, { handler, page: action.page });
      child.post(action.path, { config: action.takesFiles === true ? TAKES_FILES : {} }, handler);
    },
    download(download) {
      const { method = "GET", path, permission } = download;
      note(method, path, permission, "download");
      const handler = downloadHandler(options, download);
      if (method === "POST") forms.set(path, { handler });
      child.route({ method, url: path, handler });
    },
    visit(link) {
      note("GET", link.path, link.permission, "page");
      // HEAD asks what a link would answer, and must not use it up.
      child.get(link.path, { exposeHeadRoute: false }, visitHandler(options, link));
    },
  };
}
