import { createHmac, createSecretKey } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { findDetour, needsProof } from "../access/detour.ts";
import { securityPages } from "../access/security/pages.ts";
import { accessPages } from "../access/sign-in/pages.ts";
import { type AccessDeps, OWN_ACCOUNT } from "../access/site.ts";
import { translateRefusal } from "../access/translate-refusal.ts";
import { isPermitted, type StaffRole } from "../accounts/permissions.ts";
import { claimForm } from "../accounts/sessions/claim-form.ts";
import { createFindSession, type FindSession } from "../accounts/sessions/find-session.ts";
import { formToken } from "../accounts/sessions/session-id.ts";
import { requireFactorAdded } from "../accounts/sessions/session-life.ts";
import { createAssets } from "../web/assets/create-assets.ts";
import { serveAssets } from "../web/assets/serve-assets.ts";
import type { RegisteredPage } from "../web/pages/define-page.ts";
import type { FaceOptions } from "../web/pages/face.ts";
import { serveFace } from "../web/pages/serve-face.ts";
import { activityPages } from "./activity/pages.ts";
import { alertPages } from "./alerts/pages.ts";
import { countNav } from "./count-nav.ts";
import { depositPages } from "./deposits/pages.ts";
import { consoleFrame } from "./frame.ts";
import type { HasPage } from "./has-page.ts";
import { jobPages } from "./jobs/pages.ts";
import { moneyPages } from "./money/pages.ts";
import { orderPages } from "./orders/pages.ts";
import { overviewPages } from "./overview/pages.ts";
import { pricePages } from "./prices/pages.ts";
import { productPages } from "./products/pages.ts";
import { reportPages } from "./reports/pages.ts";
import { resellerPages } from "./resellers/pages.ts";
import { searchPages } from "./search/pages.ts";
import type { ConsoleDeps, ConsoleFace, ConsolePermission, ConsoleSession } from "./session.ts";
import { staffPages } from "./staff/pages.ts";
import { stockPages } from "./stock/pages.ts";
import { supplierPages } from "./suppliers/pages.ts";
import { systemPages } from "./system/pages.ts";
import { viewFrame } from "./view/view-frame.ts";
import { viewedPaths, viewPages } from "./view/view-pages.ts";

/** Adds the pages of one section. `hasPage` says, once all are there, whether a person has a page by its registered path. */
export type AddSection = (face: ConsoleFace, deps: ConsoleDeps, hasPage: HasPage) => void;

/** Every section of the console. */
export const SECTIONS: readonly AddSection[] = [
  (face, deps) => accessPages(face, accessOf(deps)),
  (face, deps) => securityPages(face, accessOf(deps)),
  overviewPages,
  reportPages,
  orderPages,
  (face, deps) => staffPages(face, accessOf(deps)),
  resellerPages,
  moneyPages,
  depositPages,
  viewPages,
  productPages,
  pricePages,
  supplierPages,
  stockPages,
  alertPages,
  jobPages,
  activityPages,
  searchPages,
  systemPages,
];

/** Cookies know no ports, and both faces are often on one host. */
const COOKIE_NAME = "scrip-console";

/** Puts the console on an app, at its root, with its assets. Returns every page and form that there is. */
export function openConsole(
  app: FastifyInstance,
  deps: ConsoleDeps,
  sections: readonly AddSection[] = SECTIONS,
): readonly RegisteredPage[] {
  const assets = createAssets();
  serveAssets(app, assets);
  const pages: readonly RegisteredPage[] = serveFace(
    app,
    { ...faceOptions(deps, () => pages), assets },
    (face) => {
      const hasPage: HasPage = (pattern, { session }) => pathsFor(session, pages).has(pattern);
      for (const addSection of sections) addSection(face, deps, hasPage);
    },
  );
  return pages;
}

function faceOptions(
  deps: ConsoleDeps,
  pages: () => readonly RegisteredPage[],
): Omit<FaceOptions<ConsoleSession, ConsolePermission>, "assets"> {
  const findSession = createFindSession(deps.db, deps.clock);
  const { accountKey } = deps.secrets;
  return {
    base: "",
    signInPath: "/sign-in",
    helper: "an admin",
    cookieName: COOKIE_NAME,
    clock: deps.clock,
    flashKey: createSecretKey(createHmac("sha256", accountKey).update("flash console").digest()),
    publicUrl: () => deps.consoleUrl,
    addressOf: deps.addressOf,
    authenticate: (cookie, request) => authenticate(deps, findSession, cookie, deps.addressOf(request)),
    may(session, permission) {
      // Staff without a second factor can add one and sign out, nothing else.
      if (permission !== OWN_ACCOUNT) requireFactorAdded(session.account);
      return isAllowed(session, permission);
    },
    async frame(session, ctx) {
      const paths = pathsFor(session, pages());
      return (
        (await viewFrame(deps, viewedPaths(paths), ctx)) ??
        consoleFrame(paths, ctx, await countNav(deps, ctx))
      );
    },
    claimFormId: (session, formId) => claimForm(deps, session.account, formId),
    detour: (error, ctx, sent) => findDetour(accessOf(deps), error, ctx, sent),
    needsProof,
    translate: translateRefusal,
  };
}

/** The pages of people's own accounts, in the words of the console. */
const accessOf = ({ accounts, sendsMail }: ConsoleDeps): AccessDeps => ({
  accounts,
  sendsMail,
  site: {
    face: "console",
    base: "",
    name: "the operator console",
    helper: "an admin",
    factorReason: "Everyone on the staff needs a second factor",
    teamName: async () => "the operator console",
  },
});

const isAllowed = ({ role }: ConsoleSession, permission: ConsolePermission): boolean =>
  permission === OWN_ACCOUNT || isPermitted({ kind: "staff", role }, permission);

/** The addresses of the pages that this person may read, for the navigation. */
const pathsFor = (session: ConsoleSession, pages: readonly RegisteredPage[]): ReadonlySet<string> =>
  new Set(
    pages
      .filter(
        ({ method, permission }) => method === "GET" && isAllowed(session, permission as ConsolePermission),
      )
      .map(({ path }) => path),
  );

async function authenticate(
  { secrets }: ConsoleDeps,
  findSession: FindSession,
  cookie: string | undefined,
  address: string,
): Promise<ConsoleSession | undefined> {
  if (cookie === undefined) return undefined;
  const account = await findSession("console", cookie, address);
  if (account?.team.kind !== "staff") return undefined;
  return {
    account,
    formToken: formToken(secrets.accountKey, cookie),
    role: account.role as StaffRole,
  };
}
