import type { By } from "../../activity/record-activity.ts";
import type { JobDetails } from "../../jobs/list-jobs.ts";
import { Problem } from "../../lib/problem.ts";
import { byOf, type ConsoleContext, may, provedBy } from "../session.ts";

export const jobPath = (id: string): string => `/jobs/${id}`;

/** Everyone cancels their own; an admin cancels any. */
export const mayCancel = (job: JobDetails, ctx: ConsoleContext): boolean =>
  may(ctx, "jobs.cancel") && (ctx.session.role === "admin" || job.actorId === ctx.session.account.accountId);

export function assertMayCancel({ job }: { job: JobDetails }, ctx: ConsoleContext): void {
  if (!mayCancel(job, ctx))
    throw new Problem("forbidden", "Only an admin and the person who started a job can cancel it.");
}

/** Prices are published by finance, with fresh proof. */
export const mayConfirm = ({ kind }: Pick<JobDetails, "kind">, ctx: ConsoleContext): boolean =>
  may(ctx, kind === "import_prices" ? "prices.publish" : "products.manage");

export function confirmedBy({ job }: { job: JobDetails }, ctx: ConsoleContext): By {
  if (!mayConfirm(job, ctx)) throw new Problem("forbidden", "Your role does not allow this import.");
  return job.kind === "import_prices" ? provedBy(ctx) : byOf(ctx);
}
