import type { KeyObject } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Clock } from "../../lib/clock.ts";
import type { Problem } from "../../lib/problem.ts";
import type { Assets } from "../assets/create-assets.ts";
import type { FormBody } from "../form/parse-form-body.ts";
import type { Frame, PageContent } from "../layout/frame.ts";
import type { BaseSession, PageContext, Will } from "./define-page.ts";

/** What was asked for when the error happened. `path` is as it is registered. */
export type SentRequest = { method: string; path: string; form: FormBody; will: Will | undefined };

/** On to another page, or a page in place of the one that was asked for. */
export type Detour = { redirect: string } | { page: PageContent; status: number };

/** What a face gives the kit: who is asking, what they may do, and what stands around its pages. */
export type FaceOptions<Session extends BaseSession, Permission extends string> = {
  /** Before all of its paths: `/dashboard`, or empty on a separate listener. */
  base: string;
  signInPath: string;
  /** Who can let a person do what their role does not: "an owner of your team". */
  helper: string;
  assets: Assets;
  clock: Clock;
  /** Signs the sentence that follows a redirect. */
  flashKey: KeyObject;
  /** The address by which browsers reach it, where that is known. Its scheme decides the names of cookies. */
  publicUrl: () => string | undefined;
  /** Cookies know no ports, so two faces on one host need two names. `scrip` when it is absent. */
  cookieName?: string;
  /** Who sent the request, or undefined. The value of the session's cookie is given; it may be anything. */
  authenticate: (cookie: string | undefined, request: FastifyRequest) => Promise<Session | undefined>;
  may: (session: Session, permission: Permission, ctx: PageContext<Session>) => boolean;
  frame: (session: Session, ctx: PageContext<Session>) => Frame | Promise<Frame>;
  /** Where the request came from. */
  addressOf: (request: FastifyRequest) => string;
  /** Takes a form id once: false when it was taken before. Without it no form can be `once`. */
  claimFormId?: (session: Session, formId: string) => Promise<boolean>;
  /** Where an error leads instead of to a page that says so: to the page on which the person can do something about it. */
  detour?: (
    error: unknown,
    ctx: PageContext<Session | undefined>,
    sent: SentRequest,
  ) => Promise<Detour | undefined>;
  /** Whether an error says that fresh proof is needed first. What the form will do is said with the question for it. */
  needsProof?: (error: unknown) => boolean;
  /** An error of a lower floor as a problem, such as a database that is away. */
  translate?: (error: unknown) => Problem | undefined;
};
