import type { FormState } from "../../web/form/define-form.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { secretOnce } from "../../web/parts/copy.ts";
import { notice } from "../../web/parts/notice.ts";
import { facts, panel, row as rowOf, stack } from "../../web/parts/panel.ts";
import { exactly } from "../../web/parts/time.ts";
import { html } from "../../web/template/html.ts";
import type { EndpointRow } from "../../webhooks/endpoints/endpoint-queries.ts";
import { type DashboardContext, here } from "../session.ts";
import { changesSince, endpointForm, newEndpointForm, rebase } from "./endpoint-form.ts";
import { endpointPath, hostOf, WEBHOOKS } from "./section.ts";

export const webhooksCrumb = (ctx: DashboardContext) => ({ label: "Webhooks", href: here(ctx, WEBHOOKS) });
export const endpointCrumb = (ctx: DashboardContext, { id, url }: Pick<EndpointRow, "id" | "url">) => ({
  label: hostOf(url),
  href: here(ctx, endpointPath(id)),
});

export const renderNewEndpoint = (state: FormState, ctx: DashboardContext): PageContent => ({
  title: "Add endpoint",
  crumbs: [webhooksCrumb(ctx)],
  body: panel(
    {},
    newEndpointForm.render({
      action: here(ctx, WEBHOOKS),
      hidden: ctx.hidden({ once: true }),
      state,
      submit: "Add endpoint",
      cancelHref: here(ctx, WEBHOOKS),
    }),
  ),
});

/** The secret of a new or rotated endpoint. It is never shown again. */
export const renderSecretOnce = (
  title: string,
  secret: string,
  endpoint: EndpointRow,
  ctx: DashboardContext,
  previousExpiresAt?: Date,
): PageContent => ({
  title,
  crumbs: [webhooksCrumb(ctx), endpointCrumb(ctx, endpoint)],
  body: stack(
    secretOnce(
      "Signing secret",
      [secret],
      "Copy it now and store it where your receiver reads it. This is the only time it is shown.",
    ),
    panel(
      {},
      facts([
        ["Endpoint", endpoint.url],
        ["How to verify", html`<a class="link" href="/docs/guides/webhooks">Webhooks guide</a>`],
        ...(previousExpiresAt
          ? [["Previous secret", html`signs until ${exactly(previousExpiresAt)}`] as const]
          : []),
      ]),
    ),
    rowOf(linkButton("Go to the endpoint", here(ctx, endpointPath(endpoint.id)), { kind: "main" })),
  ),
});

/** The form of an endpoint. If someone else changed it meanwhile, the page says what, and keeps what was typed. */
export function renderEditEndpoint(
  endpoint: EndpointRow,
  state: FormState,
  ctx: DashboardContext,
): PageContent {
  const changes = changesSince(state, endpoint);
  return {
    title: "Edit endpoint",
    crumbs: [webhooksCrumb(ctx), endpointCrumb(ctx, endpoint)],
    body: stack(
      changes.length === 0
        ? undefined
        : notice(
            "warn",
            "Changed since you opened this page",
            facts(changes.map(({ label, before, after }) => [label, html`was ${before}, is now ${after}`])),
          ),
      panel(
        {},
        endpointForm.render({
          action: here(ctx, endpointPath(endpoint.id)),
          hidden: ctx.hidden(),
          state: rebase(state, endpoint),
          submit: "Save",
          cancelHref: here(ctx, endpointPath(endpoint.id)),
          note: html`<p class="quiet">Waiting events go to the new URL.</p>`,
        }),
      ),
    ),
  };
}
