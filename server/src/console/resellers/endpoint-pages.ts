import type { Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { addJob } from "../../jobs/start-job.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import type { ResellerRow } from "../../resellers/queries.ts";
import { defineForm } from "../../web/form/define-form.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { environmentOf, here } from "../../web/pages/here.ts";
import { confirm } from "../../web/parts/confirm.ts";
import { notice } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { exactTime } from "../../web/parts/time.ts";
import { changeEndpoint, EndpointChanged } from "../../webhooks/endpoints/change-endpoint.ts";
import type { EndpointRow } from "../../webhooks/endpoints/endpoint-queries.ts";
import { getEndpoint } from "../../webhooks/endpoints/read-endpoints.ts";
import { RECOVER_DAYS } from "../../webhooks/history/recover-events.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";
import { getListed } from "./load-reseller.ts";

const PATH = "/resellers/:id/endpoints/:endpoint/enable";

type Disabled = { reseller: ResellerRow; endpoint: EndpointRow };

/** Only what failures have disabled: an endpoint that its owner switched off is the owner's business. */
export const canEnable = ({ active, failingSince }: EndpointRow): boolean => !active && failingSince !== null;

export const enableHref = (ctx: ConsoleContext, resellerId: string, endpointId: string): string =>
  here(
    ctx,
    `/resellers/${encodeURIComponent(resellerId)}/endpoints/${encodeURIComponent(endpointId)}/enable`,
  );

/** Switches on an endpoint that was disabled after days of failures, and sends what it missed. */
export function endpointPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: PATH,
    permission: "endpoints.manage",
    load: (ctx) => load(deps, ctx),
    render: (data, ctx) => render(data, ctx),
  });
  face.action({
    path: PATH,
    permission: "endpoints.manage",
    form: defineForm({}),
    async run(_values, ctx) {
      const { reseller, endpoint } = await load(deps, ctx);
      const since = endpoint.failingSince;
      if (!canEnable(endpoint) || since === null) throw changed();
      const tenant = { resellerId: reseller.id, environment: environmentOf(ctx) };
      const id = await enable(deps, { tenant, endpoint, since }, ctx);
      return redirect(`/jobs/${id}`, "The endpoint is enabled. What it missed is being sent again.");
    },
    again: async (state, ctx) => render(await load(deps, ctx), ctx, state.formError),
  });
}

async function load(deps: ConsoleDeps, ctx: ConsoleContext): Promise<Disabled> {
  const { endpoint = "" } = ctx.params;
  if (endpoint.includes("\0")) throw notFound();
  const reseller = await getListed(deps, ctx);
  const tenant = { resellerId: reseller.id, environment: environmentOf(ctx) };
  return { reseller, endpoint: await getEndpoint(deps.db, tenant, endpoint) };
}

/** Enables it and starts the job in one transaction. Of two people who do so at once, the second is told. Returns the job. */
async function enable(
  deps: ConsoleDeps,
  { tenant, endpoint, since }: { tenant: Tenant; endpoint: EndpointRow; since: Date },
  ctx: ConsoleContext,
): Promise<string> {
  const by = byOf(ctx);
  const params = { ...tenant, endpointId: endpoint.id, since: since.toISOString() };
  let jobId = "";
  const also = async (tx: Tx) => {
    jobId = await addJob(tx, deps, { kind: "recover_events", params }, by);
  };
  try {
    await changeEndpoint(
      deps,
      tenant,
      endpoint.id,
      { active: true },
      { seenAt: endpoint.updatedAt, by, also },
    );
    return jobId;
  } catch (error) {
    throw error instanceof EndpointChanged ? changed() : error;
  }
}

const changed = () =>
  new Problem("invalid_request", "The endpoint is not disabled after failures any more. Nothing was done.");

const render = ({ reseller, endpoint }: Disabled, ctx: ConsoleContext, error?: string): PageContent => {
  const back = here(ctx, `/resellers/${reseller.id}`);
  const { url, failingSince } = endpoint;
  return {
    title: "Enable endpoint",
    subtitle: url,
    crumbs: [
      { label: "Resellers", href: here(ctx, "/resellers") },
      { label: reseller.name, href: back },
    ],
    body: stack(
      error === undefined ? undefined : notice("bad", error),
      canEnable(endpoint) && failingSince !== null
        ? confirm({
            title: "Enable this endpoint?",
            consequences: [
              ["New events", "Sent to it from now on."],
              [
                "Missed events",
                `Those since ${exactTime(failingSince)} are sent again, at most ${RECOVER_DAYS} days back. A job does it.`,
              ],
              [
                "Before",
                "Ask the reseller whether the endpoint works. If it fails for five more days, it is disabled again.",
              ],
              ["The reseller", "Sees in its activity log that the operator enabled it."],
            ],
            hidden: ctx.hidden(),
            action: enableHref(ctx, reseller.id, endpoint.id),
            verb: "Enable",
            cancelHref: back,
            isDestructive: false,
          })
        : notice("quiet", "Nothing to enable", "The endpoint was not disabled by failures."),
    ),
  };
};
