import type { FastifyInstance } from "fastify";
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
import { formHandler, visitHandler } from "./form-handler.ts";
import { guardFace } from "./guard-face.ts";
import { pageHandler } from "./page-handler.ts";
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
    const kinds = pageKinds(child, options, pages);
    addPages({ ...kinds, open: kinds as unknown as PageKinds<Session | undefined, "public"> });
    child.post(`${options.base}/theme`, themeHandler(options));
    pages.push({ method: "POST", path: `${options.base}/theme`, permission: "public", kind: "form" });
  });
  return pages;
}

/** A page whose permission is `public` asks for no session; all others do. */
function pageKinds<Session extends BaseSession, Permission extends string>(
  child: FastifyInstance,
  options: FaceOptions<Session, Permission>,
  pages: RegisteredPage[],
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
      child.post(
        action.path,
        { config: action.takesFiles === true ? TAKES_FILES : {} },
        formHandler(options, action),
      );
    },
    download(download) {
      const { method = "GET", path, permission } = download;
      note(method, path, permission, "download");
      child.route({ method, url: path, handler: downloadHandler(options, download) });
    },
    visit(link) {
      note("GET", link.path, link.permission, "page");
      // HEAD asks what a link would answer, and must not use it up.
      child.get(link.path, { exposeHeadRoute: false }, visitHandler(options, link));
    },
  };
}
