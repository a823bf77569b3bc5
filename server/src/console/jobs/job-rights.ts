import type { StaffPermission } from "../../accounts/permissions.ts";
import type { By } from "../../activity/record-activity.ts";
import type { JobKindName } from "../../jobs/kinds.ts";
import type { JobDetails } from "../../jobs/list-jobs.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import { byOf, type ConsoleContext, may, provedBy } from "../session.ts";

export const jobPath = (id: string): string => `/jobs/${id}`;

/** What reading a job of this kind needs: as much as the page that shows the same. */
const READS: Readonly<Record<JobKindName, StaffPermission>> = {
  import_catalog: "products.read",
  import_deposits: "wallets.read",
  import_prices: "prices.read",
  import_stock: "stock.read",
  recover_events: "resellers.read",
  audit: "system.read",
  rotate_vault: "system.read",
  export_orders: "orders.read",
  sync_catalog: "suppliers.read",
  reconcile_supplier: "reconciliation.manage",
};
/** A kind that only a newer version knows is not for everyone. */
const READS_UNKNOWN: StaffPermission = "system.manage";

/** Whether this person reads what came out of the job. The list shows everyone its kind and state. */
export const mayRead = ({ kind }: Pick<JobDetails, "kind">, ctx: ConsoleContext): boolean =>
  may(ctx, Object.hasOwn(READS, kind) ? READS[kind as JobKindName] : READS_UNKNOWN);

/** To others the job is not there. */
export function assertMayRead(job: JobDetails, ctx: ConsoleContext): void {
  if (!mayRead(job, ctx)) throw notFound();
}

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
