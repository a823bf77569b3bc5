import { isPermitted } from "../../accounts/permissions.ts";
import { createCatalogFinder } from "../../catalog/filters/catalog-finder.ts";
import { activityPages } from "../../dashboard/activity/pages.ts";
import { catalogPages } from "../../dashboard/catalog/pages.ts";
import { depositPages } from "../../dashboard/deposits/pages.ts";
import { eventPages } from "../../dashboard/events/pages.ts";
import { homePages } from "../../dashboard/home/pages.ts";
import { keyPages } from "../../dashboard/keys/pages.ts";
import { type AddSection, accessOf } from "../../dashboard/open-dashboard.ts";
import { orderPages } from "../../dashboard/orders/pages.ts";
import { requestPages } from "../../dashboard/requests/pages.ts";
import {
  BASE,
  type DashboardDeps,
  type DashboardFace,
  type DashboardPermission,
} from "../../dashboard/session.ts";
import { teamPages } from "../../dashboard/team/pages.ts";
import { walletPages } from "../../dashboard/wallet/pages.ts";
import { webhookPages } from "../../dashboard/webhooks/pages.ts";
import { Problem } from "../../lib/problem.ts";
import type { ConsoleDeps, ConsoleFace } from "../session.ts";
import { enterView } from "./enter-view.ts";

/** Where the pages of a reseller's dashboard are in the console. */
export const VIEW = "/view/:resellerId";

const VIEWED: readonly AddSection[] = [
  homePages,
  catalogPages,
  orderPages,
  walletPages,
  depositPages,
  keyPages,
  webhookPages,
  requestPages,
  eventPages,
  (face, deps) => teamPages(face, accessOf(deps)),
  activityPages,
];

/**
 * The pages of the dashboard as a viewer of the reseller sees them, for a member of the staff, on the console alone. Nothing that
 * changes or reveals something is registered here: there is no form, no code, and no session of the dashboard.
 */
export function viewPages(face: ConsoleFace, deps: ConsoleDeps): void {
  const dashboard = readingFace(face, deps);
  const shared = dashboardDeps(deps);
  for (const addSection of VIEWED) addSection(dashboard, shared);
}

function readingFace(face: ConsoleFace, deps: ConsoleDeps): DashboardFace {
  const leaveOut = () => {};
  return {
    page(page) {
      if (!isViewable(page.permission)) return;
      face.page({
        path: viewPath(page.path),
        permission: "resellers.view",
        async load(ctx) {
          const viewed = await enterView(deps, ctx);
          return { viewed, data: await page.load(viewed) };
        },
        render: ({ viewed, data }) => page.render(data, viewed),
      });
    },
    download(download) {
      const { method = "GET", permission, path } = download;
      if (method !== "GET" || !isViewable(permission)) return;
      face.download({
        path: viewPath(path),
        permission: "resellers.view",
        load: async (ctx) => download.load(await enterView(deps, ctx)),
      });
    },
    action: leaveOut,
    visit: leaveOut,
    open: { page: leaveOut, action: leaveOut, download: leaveOut, visit: leaveOut },
  };
}

const isViewable = (permission: DashboardPermission): boolean =>
  permission !== "own_account" && isPermitted({ kind: "user", role: "viewer" }, permission);

const viewPath = (path: string): string => `${VIEW}${path.slice(BASE.length)}`;

/** The dashboard's paths that the console has a view of, as the dashboard's navigation names them. */
export const viewedPaths = (paths: Iterable<string>): ReadonlySet<string> =>
  new Set(
    [...paths].filter((path) => path.startsWith(VIEW)).map((path) => `${BASE}${path.slice(VIEW.length)}`),
  );

const dashboardDeps = (deps: ConsoleDeps): DashboardDeps => ({
  ...deps,
  finder: createCatalogFinder(deps.db),
  publicUrl: undefined,
  placeTestOrder: async () => {
    throw new Problem("forbidden", "The view of a reseller only reads.");
  },
});
