import { namePeople } from "../../accounts/people/name-people.ts";
import { rehearse } from "../../db/rehearse.ts";
import { cancelJob, confirmJob } from "../../jobs/change-job.ts";
import { downloadResult, getJob, type JobDetails, listJobs } from "../../jobs/list-jobs.ts";
import { startJob } from "../../jobs/start-job.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { orNotFound, sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace, provedBy } from "../session.ts";
import { auditForm, auditParams } from "./audit-form.ts";
import { assertMayCancel, assertMayRead, confirmedBy, jobPath } from "./job-rights.ts";
import { exportForm, readExport, renderExport } from "./render-export.ts";
import { renderJob } from "./render-job.ts";
import { type JobsData, renderJobs } from "./render-jobs.ts";

const idOf = (ctx: ConsoleContext): string => ctx.params.id ?? "";

/** Long work: how far it is, what came out of it, and its end. */
export function jobPages(face: ConsoleFace, deps: ConsoleDeps): void {
  const load = (ctx: ConsoleContext) => loadJob(deps, ctx);
  face.page({
    path: "/jobs",
    permission: "jobs.read",
    load: (ctx) => loadJobs(deps, ctx),
    render: (data, ctx) => renderJobs(data, ctx),
  });
  exportPages(face, deps);
  face.page({
    path: "/jobs/:id",
    permission: "jobs.read",
    load,
    render: (data, ctx) => renderJob(data, ctx),
  });
  face.download({
    path: "/jobs/:id/result",
    permission: "jobs.read",
    load: async (ctx) => {
      await readJob(deps, ctx);
      return orNotFound(downloadResult(deps.db, idOf(ctx)));
    },
  });
  face.action({
    path: "/jobs/:id/cancel",
    permission: "jobs.cancel",
    form: defineForm({}),
    run: async (_values, ctx) => {
      assertMayCancel(await load(ctx), ctx);
      await sayRefusal(cancelJob(deps, idOf(ctx), byOf(ctx)));
      return redirect(jobPath(idOf(ctx)), "The job ends. What it has not finished is undone.");
    },
    again: async (state, ctx) => renderJob(await load(ctx), ctx, state.formError),
  });
  face.action({
    path: "/jobs/:id/confirm",
    permission: "jobs.confirm",
    form: defineForm({}),
    does: async (_values, ctx) => {
      const { job } = await load(ctx);
      await sayRefusal(rehearse(deps, (trial) => confirmJob(trial, idOf(ctx), byOf(ctx))));
      return `${job.title}: do what its page shows.`;
    },
    run: async (_values, ctx) => {
      const by = confirmedBy(await load(ctx), ctx);
      await sayRefusal(confirmJob(deps, idOf(ctx), by));
      return redirect(jobPath(idOf(ctx)), "The import has started.");
    },
    again: async (state, ctx) => renderJob(await load(ctx), ctx, state.formError),
  });
  startPages(face, deps);
}

/** Work that takes no more than a click. */
function startPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.action({
    path: "/jobs/audit",
    permission: "system.manage",
    form: auditForm,
    run: async (values, ctx) => {
      const id = await startJob(deps, { kind: "audit", params: auditParams(values) }, byOf(ctx));
      return redirect(jobPath(id), "The audit has started.");
    },
    again: async (_state, ctx) => renderJobs(await loadJobs(deps, ctx), ctx),
  });
  face.action({
    path: "/jobs/rotate-vault",
    permission: "system.manage",
    form: defineForm({}),
    does: "Rotate the vault: what is stored is sealed again under the newest master key.",
    run: async (_values, ctx) => {
      const id = await startJob(deps, { kind: "rotate_vault", params: {} }, provedBy(ctx));
      return redirect(jobPath(id), "The rotation has started.");
    },
    again: async (_state, ctx) => renderJobs(await loadJobs(deps, ctx), ctx),
  });
}

function exportPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: "/jobs/export",
    permission: "orders.read",
    load: async (ctx) => exportForm.start({ environment: "live", resellerId: ctx.query.reseller ?? "" }),
    render: (state, ctx) => renderExport(state, ctx),
  });
  face.action({
    path: "/jobs/export",
    permission: "orders.read",
    form: exportForm,
    run: async (values, ctx) => {
      const id = await startJob(deps, { kind: "export_orders", params: readExport(values) }, byOf(ctx));
      return redirect(jobPath(id), "The export has started.");
    },
    again: async (state, ctx) => renderExport(state, ctx),
  });
}

async function readJob({ db }: ConsoleDeps, ctx: ConsoleContext): Promise<JobDetails> {
  const job = await orNotFound(getJob(db, idOf(ctx)));
  assertMayRead(job, ctx);
  return job;
}

const loadJob = async (deps: ConsoleDeps, ctx: ConsoleContext) => {
  const job = await readJob(deps, ctx);
  return { job, emails: await namePeople(deps.db, { kind: "staff" }, [job.actorId]) };
};

async function loadJobs({ db }: ConsoleDeps, ctx: ConsoleContext): Promise<JobsData> {
  const beforeId = /^job_[0-9a-z]{1,40}$/.test(ctx.query.cursor ?? "") ? ctx.query.cursor : undefined;
  const jobs = await listJobs(db, { beforeId });
  return {
    ...jobs,
    emails: await namePeople(
      db,
      { kind: "staff" },
      jobs.data.map(({ actorId }) => actorId),
    ),
  };
}
