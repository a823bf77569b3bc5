import { isDeepStrictEqual } from "node:util";
import type { By } from "../../activity/record-activity.ts";
import type { Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { notFound } from "../../lib/problem.ts";
import { assertWebhookUrl } from "../addresses/assert-webhook-url.ts";
import { endWaiting } from "../history/end-waiting.ts";
import { endpointSummary, recordOnEndpoint } from "./endpoint-activity.ts";
import { type EndpointRow, lockEndpoint, updateEndpoint } from "./endpoint-queries.ts";
import { getEndpoint } from "./read-endpoints.ts";
import type { EndpointDeps } from "./register-endpoint.ts";
import { assertSubscription } from "./subscription.ts";

/** `events: null` is all types that are sent by default, future ones too. */
export type EndpointChanges = { url?: string; events?: string[] | null; active?: boolean };

export type ChangeOptions = {
  /** The `updatedAt` that the editor saw. If the endpoint has changed since, nothing is written. */
  seenAt?: Date | undefined;
  by?: By | undefined;
  /** Further writes in the transaction of the change. */
  also?: ((tx: Tx) => Promise<unknown>) | undefined;
};

/** Someone else changed the endpoint after it was opened for editing. */
export class EndpointChanged extends Error {}

/** Changes the given fields. Waiting deliveries go to the new URL, or end if the endpoint is switched off. */
export async function changeEndpoint(
  deps: EndpointDeps,
  tenant: Tenant,
  id: string,
  changes: EndpointChanges,
  { seenAt, by, also }: ChangeOptions = {},
): Promise<EndpointRow> {
  if (changes.events) assertSubscription(changes.events);
  await getEndpoint(deps.db, tenant, id);
  // The name is resolved before the transaction: none stays open across a network call.
  if (changes.url !== undefined) await assertWebhookUrl(deps.webhooks, changes.url);
  const { before, after } = await deps.db.transaction(async (tx) => {
    const before = await lockEndpoint(tx, tenant, id);
    if (!before) throw notFound();
    if (seenAt && before.updatedAt.getTime() !== seenAt.getTime())
      throw new EndpointChanged("the endpoint has changed since it was read");
    const { row, afresh } = applyChanges(before, changes, deps.clock.now());
    if (row !== before) {
      await updateEndpoint(tx, tenant, row, { afresh });
      const summaries = { before: endpointSummary(before), after: endpointSummary(row) };
      await recordOnEndpoint(tx, deps.clock, { by, tenant, id, action: "webhook.changed", ...summaries });
    }
    await also?.(tx);
    return { before, after: row };
  });
  if (before.active && !after.active) await endWaiting(deps.db, id);
  return after;
}

/**
 * An endpoint with a new URL, or one that is active again, starts without a record of failure. It would otherwise be
 * disabled for the failures of before. A change without effect returns the same row.
 */
export function applyChanges(
  before: EndpointRow,
  changes: EndpointChanges,
  now: Date,
): { row: EndpointRow; afresh: boolean } {
  const { url = before.url, events = before.events, active = before.active } = changes;
  const afresh = url !== before.url || (active && !before.active);
  const changed = afresh || active !== before.active || !isDeepStrictEqual(events, before.events);
  if (!changed) return { row: before, afresh };
  const failingSince = afresh ? null : before.failingSince;
  return { row: { ...before, url, events, active, failingSince, updatedAt: now }, afresh };
}
