import type { JobParams } from "../../jobs/job-kind.ts";
import { listJobs } from "../../jobs/list-jobs.ts";
import { startJob } from "../../jobs/start-job.ts";
import { type ActionResult, redirect } from "../../web/pages/define-page.ts";
import type { HasPage } from "../has-page.ts";
import { auditForm, auditParams } from "../jobs/audit-form.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";
import { loadSystem } from "./load-system.ts";
import { renderSystem } from "./system-page.ts";

/** What runs, how it is, and the audit. */
export function systemPages(face: ConsoleFace, deps: ConsoleDeps, hasPage: HasPage): void {
  face.page({
    path: "/system",
    permission: "system.read",
    load: (ctx) => loadSystem(deps, ctx),
    render: renderSystem,
  });
  face.action({
    path: "/system/audit",
    permission: "system.manage",
    form: auditForm,
    once: true,
    run: (values, ctx) => runAudit(deps, hasPage, auditParams(values), ctx),
    again: async (_state, ctx) => renderSystem(await loadSystem(deps, ctx), ctx),
  });
}

/** It can read every table, so one at a time is enough. */
async function runAudit(
  deps: ConsoleDeps,
  hasPage: HasPage,
  params: JobParams,
  ctx: ConsoleContext,
): Promise<ActionResult> {
  const [latest] = (await listJobs(deps.db, { kinds: ["audit"], limit: 1 })).data;
  const isUnderWay = latest !== undefined && !latest.isEnded;
  const id = isUnderWay ? latest.id : await startJob(deps, { kind: "audit", params }, byOf(ctx));
  return redirect(
    hasPage("/jobs/:id", ctx) ? `/jobs/${id}` : "/system",
    isUnderWay
      ? "An audit is under way already."
      : "The audit was started. A worker takes it within seconds.",
  );
}
