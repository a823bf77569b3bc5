import { BASE, type DashboardDeps, type DashboardFace } from "../session.ts";
import { loadHome } from "./load-home.ts";
import { renderHome } from "./render-home.ts";

/** The first page. */
export function homePages(face: DashboardFace, deps: DashboardDeps): void {
  face.page({
    path: BASE,
    permission: "home.read",
    load: (ctx) => loadHome(deps, ctx),
    render: renderHome,
  });
}
