import { requireFreshProof } from "../../accounts/sessions/session-life.ts";
import { getEndpoint } from "../../webhooks/endpoints/read-endpoints.ts";
import { getDelivery } from "../../webhooks/history/get-delivery.ts";
import { recoveryProgress } from "../../webhooks/history/recovery-progress.ts";
import { type DashboardContext, type DashboardFace, tenantOf } from "../session.ts";
import { deliveryActions, spanOf } from "./delivery-actions.ts";
import { endpointActions } from "./endpoint-actions.ts";
import { newEndpointForm, startEdit } from "./endpoint-form.ts";
import { loadEndpoint, loadEndpoints } from "./load-endpoint.ts";
import { renderRemove, renderRotate, startRotate } from "./render-decisions.ts";
import { renderDelivery } from "./render-delivery.ts";
import { renderEndpoint } from "./render-endpoint.ts";
import { renderEditEndpoint, renderNewEndpoint } from "./render-endpoint-form.ts";
import { renderEndpoints } from "./render-endpoints.ts";
import { type Recovery, renderRecover, renderRecovery, startRecover } from "./render-recovery.ts";
import { DELIVERIES, idOf, WEBHOOKS, type WebhookPageDeps } from "./section.ts";

/** Endpoints, their deliveries, and everything that can be done with both. */
export function webhookPages(face: DashboardFace, deps: WebhookPageDeps): void {
  readPages(face, deps);
  formPages(face, deps);
  endpointActions(face, deps);
  deliveryActions(face, deps);
}

function readPages(face: DashboardFace, deps: WebhookPageDeps): void {
  face.page({
    path: WEBHOOKS,
    permission: "webhooks.read",
    load: (ctx) => loadEndpoints(deps, ctx),
    render: renderEndpoints,
  });
  face.page({
    path: `${WEBHOOKS}/:id`,
    permission: "webhooks.read",
    load: (ctx) => loadEndpoint(deps, ctx),
    render: (data, ctx) => renderEndpoint(data, ctx),
  });
  face.page({
    path: `${WEBHOOKS}/:id/recovery`,
    permission: "webhooks.read",
    load: (ctx) => loadRecovery(deps, ctx),
    render: renderRecovery,
  });
  face.page({
    path: `${DELIVERIES}/:id`,
    permission: "webhooks.read",
    load: (ctx) => getDelivery(deps.db, tenantOf(ctx), idOf(ctx)),
    render: (delivery, ctx) => renderDelivery(delivery, ctx),
  });
}

/** Pages that hold a form. Who cannot send it does not see it. */
function formPages(face: DashboardFace, deps: WebhookPageDeps): void {
  const permission = "webhooks.manage" as const;
  const load = (ctx: DashboardContext) => getEndpoint(deps.db, tenantOf(ctx), idOf(ctx));
  face.page({
    path: `${WEBHOOKS}/new`,
    permission,
    load: async () => newEndpointForm.start(),
    render: renderNewEndpoint,
  });
  face.page({
    path: `${WEBHOOKS}/:id/edit`,
    permission,
    load,
    render: (endpoint, ctx) => renderEditEndpoint(endpoint, startEdit(endpoint), ctx),
  });
  face.page({
    path: `${WEBHOOKS}/:id/rotate`,
    permission,
    load: (ctx) => {
      // Before the form, so that the way back from the proof leads to it.
      requireFreshProof(ctx.session.account, ctx.now);
      return load(ctx);
    },
    render: (endpoint, ctx) => renderRotate(endpoint, startRotate(), ctx),
  });
  face.page({
    path: `${WEBHOOKS}/:id/recover`,
    permission,
    load,
    render: (endpoint, ctx) => renderRecover(endpoint, startRecover(endpoint, ctx.now), ctx),
  });
  face.page({ path: `${WEBHOOKS}/:id/remove`, permission, load, render: renderRemove });
}

const COUNT = /^\d{1,9}$/;

async function loadRecovery(deps: WebhookPageDeps, ctx: DashboardContext): Promise<Recovery> {
  const endpoint = await getEndpoint(deps.db, tenantOf(ctx), idOf(ctx));
  const span = spanOf(ctx.query);
  const { started = "", more } = ctx.query;
  return {
    endpoint,
    span,
    progress: await recoveryProgress(deps.db, tenantOf(ctx), endpoint.id, span),
    started: COUNT.test(started) ? Number(started) : 0,
    hasMore: more === "yes",
  };
}
