import { selectField } from "../../web/form/choice-fields.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { confirm } from "../../web/parts/confirm.ts";
import { panel, stack } from "../../web/parts/panel.ts";
import { html } from "../../web/template/html.ts";
import type { EndpointRow } from "../../webhooks/endpoints/endpoint-queries.ts";
import { type DashboardContext, here } from "../session.ts";
import { endpointCrumb, webhooksCrumb } from "./render-endpoint-form.ts";
import { endpointPath, hostOf } from "./section.ts";

const GRACES = [
  { value: "86400", label: "24 hours" },
  { value: "0", label: "Not at all: it ends now" },
  { value: "3600", label: "1 hour" },
  { value: "259200", label: "3 days" },
  { value: "604800", label: "7 days" },
] as const;

export const rotateForm = defineForm({
  grace: selectField({
    label: "The previous secret keeps signing for",
    hint: "Meanwhile each event carries both signatures, so your receiver can switch without losing one.",
    required: true,
    choices: GRACES,
  }),
});

export const startRotate = (): FormState => rotateForm.start({ grace: GRACES[0].value });

/** A new signing secret for an endpoint. */
export const renderRotate = (
  endpoint: EndpointRow,
  state: FormState,
  ctx: DashboardContext,
): PageContent => ({
  title: "Rotate secret",
  crumbs: [webhooksCrumb(ctx), endpointCrumb(ctx, endpoint)],
  body: panel(
    {},
    rotateForm.render({
      action: here(ctx, endpointPath(endpoint.id, "rotate")),
      hidden: ctx.hidden({ once: true }),
      state,
      submit: "Rotate secret",
      cancelHref: here(ctx, endpointPath(endpoint.id)),
      note: html`<p class="quiet">The new secret is shown once, on the next page.</p>`,
    }),
  ),
});

/** What removing an endpoint means, before it happens. */
export const renderRemove = (endpoint: EndpointRow, ctx: DashboardContext): PageContent => ({
  title: "Remove endpoint",
  crumbs: [webhooksCrumb(ctx), endpointCrumb(ctx, endpoint)],
  body: stack(
    confirm({
      title: `Remove ${hostOf(endpoint.url)}?`,
      consequences: [
        ["URL", endpoint.url],
        ["Events", "Nothing more is sent to it. Deliveries that are waiting end as failed."],
        ["Delivery log", "It is no longer shown."],
        ["Undo", "Not possible. To stop deliveries for a while, disable the endpoint."],
      ],
      hidden: ctx.hidden(),
      action: here(ctx, endpointPath(endpoint.id, "remove")),
      verb: "Remove",
      cancelHref: here(ctx, endpointPath(endpoint.id)),
    }),
  ),
});
