import { isPermitted } from "../../accounts/permissions.ts";
import type { By } from "../../activity/record-activity.ts";
import { chip } from "../../web/parts/chip.ts";
import { time } from "../../web/parts/time.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import type { EndpointHealth } from "../../webhooks/health/read-health.ts";
import { SUCCESS_LOOKED_MAX } from "../../webhooks/health/read-health.ts";
import { actorOf, BASE, type DashboardContext, type DashboardDeps, here } from "../session.ts";

export const WEBHOOKS = `${BASE}/webhooks`;
export const DELIVERIES = `${BASE}/deliveries`;

/** What the pages of this section work with. */
export type WebhookPageDeps = Pick<
  DashboardDeps,
  "db" | "clock" | "keyring" | "webhooks" | "cursors" | "announceDeliveries"
>;

export const mayManage = (ctx: DashboardContext): boolean =>
  isPermitted({ kind: "user", role: ctx.session.role }, "webhooks.manage");

export const byOf = (ctx: DashboardContext): By => ({ actor: actorOf(ctx), address: ctx.address });

/** A page of one endpoint, or something done with it. */
export const endpointPath = (id: string, page = ""): string =>
  `${WEBHOOKS}/${encodeURIComponent(id)}${page === "" ? "" : `/${page}`}`;

export const deliveryHref = (ctx: DashboardContext, id: string): string =>
  here(ctx, `${DELIVERIES}/${encodeURIComponent(id)}`);

export const idOf = (ctx: DashboardContext): string => ctx.params.id ?? "";

export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** Attempts after which a delivery that still waits is not as usual. */
const ATTEMPTS_AS_USUAL = 1;

/** The status of a delivery. One that failed more than once and is sent again is a warning. */
export const deliveryChip = ({ status, attemptCount }: { status: string; attemptCount: number }): Html =>
  status === "pending" && attemptCount > ATTEMPTS_AS_USUAL ? chip(status, "warn") : chip(status);

export function lastSuccess({ lastSuccessAt, hasOlder }: EndpointHealth, now: Date): HtmlValue {
  if (lastSuccessAt) return time(lastSuccessAt, now);
  return html`<span class="quiet">${hasOlder ? `none in the last ${SUCCESS_LOOKED_MAX} deliveries` : "none yet"}</span>`;
}
