import { requireFreshProof } from "../../accounts/sessions/session-life.ts";
import { Problem } from "../../lib/problem.ts";
import { radioField } from "../../web/form/choice-fields.ts";
import { defineForm } from "../../web/form/define-form.ts";
import { redirect, showOnce } from "../../web/pages/define-page.ts";
import { changeEndpoint, EndpointChanged } from "../../webhooks/endpoints/change-endpoint.ts";
import { getEndpoint } from "../../webhooks/endpoints/read-endpoints.ts";
import { registerEndpoint } from "../../webhooks/endpoints/register-endpoint.ts";
import { removeEndpoint } from "../../webhooks/endpoints/remove-endpoint.ts";
import { rotateSecret } from "../../webhooks/endpoints/rotate-secret.ts";
import { type DashboardContext, type DashboardFace, here, tenantOf } from "../session.ts";
import { endpointForm, newEndpointForm } from "./endpoint-form.ts";
import { loadEndpoint } from "./load-endpoint.ts";
import { renderRemove, renderRotate, rotateForm } from "./render-decisions.ts";
import { renderEndpoint } from "./render-endpoint.ts";
import { renderEditEndpoint, renderNewEndpoint, renderSecretOnce } from "./render-endpoint-form.ts";
import { byOf, endpointPath, idOf, WEBHOOKS, type WebhookPageDeps } from "./section.ts";

const stateForm = defineForm({
  active: radioField({
    label: "Active",
    choices: [
      { value: "yes", label: "Enable" },
      { value: "no", label: "Disable" },
    ],
  }),
});

const loadRow = (deps: WebhookPageDeps, ctx: DashboardContext) =>
  getEndpoint(deps.db, tenantOf(ctx), idOf(ctx));

/** Everything that changes an endpoint itself. */
export function endpointActions(face: DashboardFace, deps: WebhookPageDeps): void {
  addAction(face, deps);
  editAction(face, deps);
  secretAction(face, deps);
  face.action({
    path: `${WEBHOOKS}/:id/state`,
    permission: "webhooks.manage",
    form: stateForm,
    run: async ({ active }, ctx) => {
      const changes = { active: active === "yes" };
      const row = await changeEndpoint(deps, tenantOf(ctx), idOf(ctx), changes, { by: byOf(ctx) });
      return redirect(
        here(ctx, endpointPath(row.id)),
        row.active ? "The endpoint is enabled." : "The endpoint is disabled. Nothing is sent to it.",
      );
    },
    again: async (state, ctx) =>
      renderEndpoint(await loadEndpoint(deps, ctx, { isAgain: true }), ctx, state.formError),
  });
  face.action({
    path: `${WEBHOOKS}/:id/remove`,
    permission: "webhooks.manage",
    form: defineForm({}),
    run: async (_values, ctx) => {
      await removeEndpoint(deps, tenantOf(ctx), idOf(ctx), byOf(ctx));
      return redirect(here(ctx, WEBHOOKS), "The endpoint was removed.");
    },
    again: async (_state, ctx) => renderRemove(await loadRow(deps, ctx), ctx),
  });
}

function addAction(face: DashboardFace, deps: WebhookPageDeps): void {
  face.action({
    path: WEBHOOKS,
    permission: "webhooks.manage",
    form: newEndpointForm,
    once: true,
    run: async ({ url, events }, ctx) => {
      const input = { url, ...(events.length === 0 ? {} : { events: [...events] }) };
      const { row, secret } = await registerEndpoint(deps, tenantOf(ctx), input, byOf(ctx));
      return showOnce(renderSecretOnce("Endpoint added", secret.reveal(), row, ctx));
    },
    again: async (state, ctx) => renderNewEndpoint(state, ctx),
  });
}

/** Nothing is written over what someone else changed meanwhile: the page says what that was. */
function editAction(face: DashboardFace, deps: WebhookPageDeps): void {
  face.action({
    path: `${WEBHOOKS}/:id`,
    permission: "webhooks.manage",
    form: endpointForm,
    run: async ({ url, events, seenAt }, ctx) => {
      const changes = { url, events: events.length === 0 ? null : [...events] };
      const options = { seenAt: readSeenAt(seenAt), by: byOf(ctx) };
      try {
        await changeEndpoint(deps, tenantOf(ctx), idOf(ctx), changes, options);
      } catch (error) {
        if (!(error instanceof EndpointChanged)) throw error;
        throw new Problem(
          "idempotency_conflict",
          "Someone changed this endpoint while you were editing it. Nothing was saved. Compare, then save again to replace it.",
        );
      }
      return redirect(here(ctx, endpointPath(idOf(ctx))), "The endpoint was changed.");
    },
    again: async (state, ctx) => renderEditEndpoint(await loadRow(deps, ctx), state, ctx),
  });
}

function readSeenAt(text: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    throw new Problem("invalid_request", "Open the page again and repeat your change.");
  return at;
}

function secretAction(face: DashboardFace, deps: WebhookPageDeps): void {
  face.action({
    path: `${WEBHOOKS}/:id/rotate`,
    permission: "webhooks.manage",
    form: rotateForm,
    once: true,
    does: async (_values, ctx) => `Rotate the secret of ${(await loadRow(deps, ctx)).url}.`,
    run: async ({ grace }, ctx) => {
      requireFreshProof(ctx.session.account, ctx.now);
      const rotated = await rotateSecret(deps, tenantOf(ctx), idOf(ctx), Number(grace), byOf(ctx));
      const { row, secret, previousExpiresAt } = rotated;
      return showOnce(renderSecretOnce("Secret rotated", secret.reveal(), row, ctx, previousExpiresAt));
    },
    again: async (state, ctx) => renderRotate(await loadRow(deps, ctx), state, ctx),
  });
}
