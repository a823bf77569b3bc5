import { listActivity } from "../../activity/list-activity.ts";
import { recordActivity } from "../../activity/record-activity.ts";
import type { DashboardContext } from "../../dashboard/session.ts";
import { notFound } from "../../lib/problem.ts";
import { findReseller } from "../../resellers/queries.ts";
import { NOTHING } from "../../web/template/html.ts";
import { byOf, type ConsoleContext, type ConsoleDeps } from "../session.ts";

/** A person who goes on looking at a reseller is in the log once in this time. */
const LOGGED_EVERY_MS = 60 * 60_000;

/**
 * What a page of the dashboard knows when a member of the staff looks at it: a viewer of that reseller, who is no account of it,
 * and no token for forms. The look is logged, and the reseller sees it too.
 */
export async function enterView(deps: ConsoleDeps, ctx: ConsoleContext): Promise<DashboardContext> {
  const { resellerId = "", ...params } = ctx.params;
  const reseller = resellerId.includes("\0") ? undefined : await findReseller(deps.db, resellerId);
  if (!reseller) throw notFound();
  await logView(deps, ctx, resellerId);
  return viewContext(ctx, resellerId, params);
}

export const viewContext = (
  ctx: ConsoleContext,
  resellerId: string,
  params: Readonly<Record<string, string>>,
): DashboardContext => ({
  ...ctx,
  params,
  base: `/view/${resellerId}`,
  session: {
    account: {
      ...ctx.session.account,
      kind: "user",
      team: { kind: "user", resellerId },
      role: "viewer",
    },
    formToken: "",
    resellerId,
    role: "viewer",
  },
  hidden: () => NOTHING,
});

async function logView({ db, clock }: ConsoleDeps, ctx: ConsoleContext, resellerId: string): Promise<void> {
  const by = byOf(ctx);
  const object = { kind: "reseller", id: resellerId };
  const from = new Date(ctx.now.getTime() - LOGGED_EVERY_MS);
  const filter = { actor: by.actor, action: "reseller.viewed", object, from };
  const earlier = await listActivity(db, { kind: "staff" }, filter, { limit: 1 });
  if (earlier.data.length > 0) return;
  await db.transaction((tx) =>
    recordActivity(tx, clock, { ...by, action: "reseller.viewed", object, resellerId }),
  );
}
