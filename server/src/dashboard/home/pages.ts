import { createSumDays } from "../../wallet/sum-days.ts";
import { BASE, type DashboardDeps, type DashboardFace } from "../session.ts";
import { loadHome } from "./load-home.ts";
import { renderHome } from "./render-home.ts";

/** The first page. */
export function homePages(face: DashboardFace, deps: DashboardDeps): void {
  const sumDays = createSumDays(deps.db);
  face.page({
    path: BASE,
    permission: "home.read",
    load: (ctx) => loadHome(deps, sumDays, ctx),
    render: renderHome,
  });
}
