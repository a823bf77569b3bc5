import type { Summary } from "../../activity/queries.ts";
import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import type { EndpointRow } from "./endpoint-queries.ts";

export type EndpointActivity = {
  /** Absent for calls of the API: their request log says who called. */
  by: By | undefined;
  tenant: Tenant;
  id: string;
  action: `webhook.${string}`;
  before?: Summary;
  after?: Summary;
};

/** Writes what a person did with an endpoint to the activity log, in the transaction of the change. */
export async function recordOnEndpoint(tx: Tx, clock: Clock, activity: EndpointActivity): Promise<void> {
  const { by, tenant, id, action, before, after } = activity;
  if (!by) return;
  const { resellerId, environment } = tenant;
  const object = { kind: "webhook", id };
  await recordActivity(tx, clock, { ...by, action, object, resellerId, environment, before, after });
}

/** Only the host of the URL: a path or query can hold something that the receiver uses as a password. */
export const endpointSummary = ({ url, events, active }: EndpointRow): Summary => ({
  host: URL.parse(url)?.host ?? "",
  events: events ?? "all",
  active,
});
