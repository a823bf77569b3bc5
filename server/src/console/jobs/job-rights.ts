import type { StaffPermission } from "../../accounts/permissions.ts";
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

/** What confirms an import of this kind. Prices and money are for finance, with fresh proof. */
const CONFIRMS: Readonly<Partial<Record<string, StaffPermission>>> = {
  import_prices: "prices.publish",
  import_deposits: "deposits.manage",
};

export const mayConfirm = ({ kind }: Pick<JobDetails, "kind">, ctx: ConsoleContext): boolean =>
  may(ctx, CONFIRMS[kind] ?? "products.manage");

export function confirmedBy({ job }: { job: JobDetails }, ctx: ConsoleContext): By {
  if (!mayConfirm(job, ctx)) throw new Problem("forbidden", "Your role does not allow this import.");
  return CONFIRMS[job.kind] === undefined ? byOf(ctx) : provedBy(ctx);
}
