import { Problem } from "../../lib/problem.ts";
import { parseTime } from "../../lib/time.ts";
import { defineForm } from "../../web/form/define-form.ts";
import type { Field } from "../../web/form/field.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { NOTHING } from "../../web/template/html.ts";
import { getEndpoint } from "../../webhooks/endpoints/read-endpoints.ts";
import { testEndpoint } from "../../webhooks/endpoints/test-endpoint.ts";
import { getDelivery } from "../../webhooks/history/get-delivery.ts";
import { recoverEvents } from "../../webhooks/history/recover-events.ts";
import { redeliver } from "../../webhooks/history/redeliver.ts";
import { redeliverSelection } from "../../webhooks/history/redeliver-selection.ts";
import { type DashboardFace, here, tenantOf } from "../session.ts";
import { loadEndpoint } from "./load-endpoint.ts";
import { renderDelivery } from "./render-delivery.ts";
import { renderEndpoint } from "./render-endpoint.ts";
import { recoverForm, renderRecover } from "./render-recovery.ts";
import {
  byOf,
  DELIVERIES,
  deliveryHref,
  endpointPath,
  idOf,
  plural,
  WEBHOOKS,
  type WebhookPageDeps,
} from "./section.ts";

/** The rows that were selected in a table. */
const selected: Field<readonly string[]> = {
  label: "Deliveries",
  read: (given) => ({ value: given }),
  render: () => NOTHING,
};

/** Everything that sends something. */
export function deliveryActions(face: DashboardFace, deps: WebhookPageDeps): void {
  testAction(face, deps);
  recoverAction(face, deps);
  face.action({
    path: `${WEBHOOKS}/:id/redeliver`,
    permission: "webhooks.manage",
    form: defineForm({ ids: selected }),
    run: async ({ ids }, ctx) => {
      const count = await redeliverSelection(deps, tenantOf(ctx), idOf(ctx), ids, byOf(ctx));
      const to = here(ctx, endpointPath(idOf(ctx)));
      return redirect(to, `Sending ${plural(count, "delivery", "deliveries")} again.`);
    },
    again: async ({ formError, errors }, ctx) =>
      renderEndpoint(await loadEndpoint(deps, ctx, { isAgain: true }), ctx, formError ?? errors.ids),
  });
  face.action({
    path: `${DELIVERIES}/:id/redeliver`,
    permission: "webhooks.manage",
    form: defineForm({}),
    run: async (_values, ctx) => {
      const { id } = await redeliver(deps, tenantOf(ctx), idOf(ctx), byOf(ctx));
      return redirect(deliveryHref(ctx, id), "Sending it again.");
    },
    again: async ({ formError }, ctx) =>
      renderDelivery(await getDelivery(deps.db, tenantOf(ctx), idOf(ctx)), ctx, formError),
  });
}

function testAction(face: DashboardFace, deps: WebhookPageDeps): void {
  face.action({
    path: `${WEBHOOKS}/:id/test`,
    permission: "webhooks.manage",
    form: defineForm({}),
    once: true,
    run: async (_values, ctx) => {
      const { id } = await testEndpoint(deps, tenantOf(ctx), idOf(ctx), byOf(ctx));
      return redirect(deliveryHref(ctx, id), "A test event is on its way. Its result appears here.");
    },
    again: async ({ formError }, ctx) =>
      renderEndpoint(await loadEndpoint(deps, ctx, { isAgain: true }), ctx, formError),
  });
}

function recoverAction(face: DashboardFace, deps: WebhookPageDeps): void {
  face.action({
    path: `${WEBHOOKS}/:id/recover`,
    permission: "webhooks.manage",
    form: recoverForm,
    run: async (values, ctx) => {
      const until = values.until === "" ? ctx.now.toISOString() : values.until;
      const span = { since: values.since, until };
      const { recovered, hasMore } = await recoverEvents(deps, tenantOf(ctx), idOf(ctx), span, byOf(ctx));
      const query = { ...span, started: recovered, more: hasMore ? "yes" : undefined };
      return redirect(here(ctx, endpointPath(idOf(ctx), "recovery"), query));
    },
    again: async (state, ctx) =>
      renderRecover(await getEndpoint(deps.db, tenantOf(ctx), idOf(ctx)), state, ctx),
  });
}

/** The span of a recovery, from the address of its page. */
export function spanOf(query: Readonly<Record<string, string | undefined>>): { since: Date; until: Date } {
  const since = parseTime(query.since ?? "");
  const until = parseTime(query.until ?? "");
  if (!since || !until) throw new Problem("invalid_request", "The address of this page is incomplete.");
  return { since, until };
}
