import { createHmac, createSecretKey } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { findDetour, needsProof } from "../access/detour.ts";
import { securityPages } from "../access/security/pages.ts";
import { accessPages } from "../access/sign-in/pages.ts";
import { type AccessDeps, OWN_ACCOUNT } from "../access/site.ts";
import { translateRefusal } from "../access/translate-refusal.ts";
import { isPermitted, type UserRole } from "../accounts/permissions.ts";
import { claimForm } from "../accounts/sessions/claim-form.ts";
import { createFindSession, type FindSession } from "../accounts/sessions/find-session.ts";
import { formToken } from "../accounts/sessions/session-id.ts";
import { requireFactorAdded } from "../accounts/sessions/session-life.ts";
import { getReseller } from "../resellers/get-reseller.ts";
import { createAssets } from "../web/assets/create-assets.ts";
import { serveAssets } from "../web/assets/serve-assets.ts";
import type { RegisteredPage } from "../web/pages/define-page.ts";
import type { FaceOptions } from "../web/pages/face.ts";
import { serveFace } from "../web/pages/serve-face.ts";
import { activityPages } from "./activity/pages.ts";
import { catalogPages } from "./catalog/pages.ts";
import { depositPages } from "./deposits/pages.ts";
import { encryptionPages } from "./encryption/pages.ts";
import { eventPages } from "./events/pages.ts";
import { dashboardFrame } from "./frame.ts";
import { homePages } from "./home/pages.ts";
import { keyPages } from "./keys/pages.ts";
import { orderPages } from "./orders/pages.ts";
import { requestPages } from "./requests/pages.ts";
import {
  BASE,
  type DashboardDeps,
  type DashboardFace,
  type DashboardPermission,
  type DashboardSession,
} from "./session.ts";
import { settingsPages } from "./settings/pages.ts";
import { teamPages } from "./team/pages.ts";
import { walletPages } from "./wallet/pages.ts";
import { webhookPages } from "./webhooks/pages.ts";

/** Adds the pages of one section. */
export type AddSection = (face: DashboardFace, deps: DashboardDeps) => void;

/** Every section of the dashboard. */
export const SECTIONS: readonly AddSection[] = [
  (face, deps) => accessPages(face, accessOf(deps)),
  homePages,
  catalogPages,
  orderPages,
  walletPages,
  depositPages,
  keyPages,
  webhookPages,
  requestPages,
  eventPages,
  (face, deps) => securityPages(face, accessOf(deps)),
  (face, deps) => teamPages(face, accessOf(deps)),
  encryptionPages,
  settingsPages,
  activityPages,
];

/** Puts the dashboard on an app at /dashboard, with its assets. Returns every page and form that there is. */
export function openDashboard(
  app: FastifyInstance,
  deps: DashboardDeps,
  sections: readonly AddSection[] = SECTIONS,
): readonly RegisteredPage[] {
  const assets = createAssets();
  serveAssets(app, assets);
  const pages: readonly RegisteredPage[] = serveFace(
    app,
    { ...faceOptions(deps, () => pages), assets },
    (face) => {
      for (const addSection of sections) addSection(face, deps);
    },
  );
  return pages;
}

function faceOptions(
  deps: DashboardDeps,
  pages: () => readonly RegisteredPage[],
): Omit<FaceOptions<DashboardSession, DashboardPermission>, "assets"> {
  const findSession = createFindSession(deps.db, deps.clock);
  const { accountKey } = deps.secrets;
  return {
    base: BASE,
    signInPath: `${BASE}/sign-in`,
    helper: "an owner of your team",
    clock: deps.clock,
    flashKey: createSecretKey(createHmac("sha256", accountKey).update("flash").digest()),
    publicUrl: () => deps.publicUrl,
    addressOf: deps.addressOf,
    authenticate: (cookie, request) => authenticate(deps, findSession, cookie, deps.addressOf(request)),
    may(session, permission) {
      if (permission !== OWN_ACCOUNT) requireFactorAdded(session.account);
      return isAllowed(session, permission);
    },
    frame: (session, ctx) => dashboardFrame(deps, pathsFor(session, pages()), ctx),
    claimFormId: (session, formId) => claimForm(deps, session.account, formId),
    detour: (error, ctx, sent) => findDetour(accessOf(deps), error, ctx, sent),
    needsProof,
    translate: translateRefusal,
  };
}

/** The pages of people's own accounts, in the words of the dashboard. */
export const accessOf = ({ db, accounts, sendsMail }: DashboardDeps): AccessDeps => ({
  accounts,
  sendsMail,
  site: {
    face: "dashboard",
    base: BASE,
    name: "the reseller dashboard",
    helper: "an owner of your team",
    factorReason: "Your team requires a second factor",
    teamName: async ({ resellerId }) => (resellerId === null ? "" : (await getReseller(db, resellerId)).name),
  },
});

const isAllowed = ({ role }: DashboardSession, permission: DashboardPermission): boolean =>
  permission === OWN_ACCOUNT || isPermitted({ kind: "user", role }, permission);

/** The addresses of the pages that this person may read, for the navigation. */
const pathsFor = (session: DashboardSession, pages: readonly RegisteredPage[]): ReadonlySet<string> =>
  new Set(
    pages
      .filter(
        ({ method, permission }) => method === "GET" && isAllowed(session, permission as DashboardPermission),
      )
      .map(({ path }) => path),
  );

async function authenticate(
  { secrets }: DashboardDeps,
  findSession: FindSession,
  cookie: string | undefined,
  address: string,
): Promise<DashboardSession | undefined> {
  if (cookie === undefined) return undefined;
  const account = await findSession("dashboard", cookie, address);
  if (account?.team.kind !== "user") return undefined;
  return {
    account,
    formToken: formToken(secrets.accountKey, cookie),
    resellerId: account.team.resellerId,
    role: account.role as UserRole,
  };
}
