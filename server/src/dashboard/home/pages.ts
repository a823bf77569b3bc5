import { findAlert } from "../../wallet/alerts/alert-queries.ts";
import { BASE, type DashboardDeps, type DashboardFace, tenantOf } from "../session.ts";
import { loadHome } from "./load-home.ts";
import { renderHome } from "./render-home.ts";

/** The first page. */
export function homePages(face: DashboardFace, deps: DashboardDeps): void {
  face.page({
    path: BASE,
    permission: "home.read",
    load: async (ctx) => {
      const [home, belowMinor] = await Promise.all([loadHome(deps, ctx), findAlert(deps.db, tenantOf(ctx))]);
      return { ...home, belowMinor };
    },
    render: renderHome,
  });
}
