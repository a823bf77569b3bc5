import type { Fields, Form, FormState, ValuesOf } from "../form/define-form.ts";
import type { FormBody } from "../form/parse-form-body.ts";
import type { Uploads } from "../form/read-upload.ts";
import type { Flash, PageContent } from "../layout/frame.ts";
import type { Tone } from "../parts/chip.ts";
import type { Html } from "../template/html.ts";

/** What the kit needs to know of a session. A face's own has more: who it is, what they may do. */
export type BaseSession = {
  /** In every form of the session; 256 random bits, never the cookie. */
  formToken: string;
};

/** What a page knows of its request. */
export type PageContext<Session> = {
  session: Session;
  params: Readonly<Record<string, string>>;
  /** Parameters of the address; of one that stands twice the first. */
  query: Readonly<Record<string, string | undefined>>;
  /** Before all paths of the face: `/dashboard`, or empty on a separate listener. */
  base: string;
  /** Path and query. */
  url: string;
  /** The files of a form that takes them, by the names of their fields. */
  files: Uploads;
  requestId: string;
  /** Where the request came from, by the proxies that are trusted. */
  address: string;
  userAgent: string;
  now: Date;
  /** For the inside of every form: the token, and a form id where the form must be accepted once. */
  hidden: (options?: { once?: boolean }) => Html;
  /** Gives the browser the cookie of a new session with the answer, or takes it away. */
  setSession: (cookie: string | undefined, maxAgeSeconds?: number) => void;
};

type Common<Permission extends string> = {
  /** As Fastify writes it: `/dashboard/orders/:id`. */
  path: string;
  /** What the session must be allowed. */
  permission: Permission;
};

/** A page that is read. It loads through the verbs of the business, then shows. */
export type ReadPage<Session, Permission extends string, Data> = Common<Permission> & {
  load: (ctx: PageContext<Session>) => Promise<Data>;
  render: (data: Data, ctx: PageContext<Session>) => PageContent;
};

/** A link that does something when it is opened, such as signing in to the demo. It is answered as a form is. */
export type VisitedLink<Session, Permission extends string> = Common<Permission> & {
  run: (ctx: PageContext<Session>) => Promise<ActionResult>;
};

/** What a form does. It answers with a redirect, or with a page where something is shown only once. */
export type FormAction<Session, Permission extends string, F extends Fields> = Common<Permission> & {
  form: Form<F>;
  /** The same form, sent twice, is accepted once. For verbs that are not idempotent; the form carries `hidden({once: true})`. */
  once?: boolean;
  /** The form has a file. It cannot wait for fresh proof: what needs proof asks for it on the page of the form. */
  takesFiles?: boolean;
  /**
   * What sending this form does, in a sentence, for the page that asks for fresh proof before it is done. What can be known to be refused
   * is refused here, before anyone is asked for proof.
   */
  does?: Does<ValuesOf<F>, Session>;
  /** The page of the form, where that is not the page above its address. */
  page?: string;
  run: (values: ValuesOf<F>, ctx: PageContext<Session>) => Promise<ActionResult>;
  /** The page of the form again, with what was typed and what is wrong. */
  again: (state: FormState, ctx: PageContext<Session>) => Promise<PageContent>;
};

export type Does<Values, Session> =
  | string
  | ((values: Values, ctx: PageContext<Session>) => string | Promise<string>);

/** What a form that waits for fresh proof will do: a sentence, and what was typed, in words. */
export type Will = {
  sentence: string | undefined;
  typed: readonly (readonly [label: string, text: string])[];
  /** It is answered with a file. */
  isFile: boolean;
};

/** A form that waits until its person has proved who they are: what its request was. */
export type WaitingForm = {
  /** As it is registered. */
  path: string;
  url: string;
  params: PageContext<unknown>["params"];
  query: PageContext<unknown>["query"];
  form: FormBody;
};

export type ActionResult =
  | { redirect: string; flash?: Flash }
  | { page: PageContent }
  /** The form that waited is run now, once, in the session that has the new cookie. It is answered in place of this one. */
  | { goOn: WaitingForm; formId: string; cookie: string };

/** What a file or JSON is sent as, such as a CSV of a list. */
export type Download = { type: string; filename?: string; body: AsyncIterable<string> | string };

export type ReadDownload<Session, Permission extends string> = Common<Permission> & {
  method?: "GET" | "POST";
  /** As of a form. */
  does?: Does<undefined, Session>;
  load: (ctx: PageContext<Session>) => Promise<Download>;
};

/** After a form: on to another page, with a sentence about what was done. */
export const redirect = (to: string, text?: string, tone: Tone = "good"): ActionResult =>
  text === undefined ? { redirect: to } : { redirect: to, flash: { tone, text } };

/** After a form: a page that shows something this once, such as a new key. */
export const showOnce = (page: PageContent): ActionResult => ({ page });

/** Every page and form that there is, for the test that tries each with every role. */
export type RegisteredPage = {
  method: "GET" | "POST";
  path: string;
  /** `public` pages are for those who are not signed in. */
  permission: string;
  kind: "page" | "form" | "download";
};
