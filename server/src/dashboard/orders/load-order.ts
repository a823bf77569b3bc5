import { namePeople } from "../../accounts/people/name-people.ts";
import { listCodes, type OrderCodesList } from "../../fulfilment/reveal/list-codes.ts";
import { describeKey } from "../../keys/describe-key.ts";
import type { Actor } from "../../lib/actor.ts";
import { getOrder } from "../../orders/get-order.ts";
import { getOrderOrigin, type OrderOrigin } from "../../orders/get-order-origin.ts";
import { getTimeline } from "../../orders/get-timeline.ts";
import type { OrderView, TimelineEntryView } from "../../orders/schemas.ts";
import { findPlacement } from "../../requests/find-placement.ts";
import { endpointHosts } from "../../webhooks/endpoints/read-endpoints.ts";
import { type DashboardContext, type DashboardDeps, tenantOf } from "../session.ts";

/** Everything that the page of an order shows. */
export type OrderData = {
  order: OrderView;
  origin: OrderOrigin;
  /** The API request that placed it, when it is in the log. */
  requestId: string | undefined;
  timeline: readonly TimelineEntryView[];
  codes: OrderCodesList;
  /** The hosts of the endpoints on the page, by their id. */
  hosts: ReadonlyMap<string, string>;
  /** How the actors on the page are shown, by `kind id`. */
  names: ReadonlyMap<string, string>;
};

/** An order that is not the reseller's, or not of this environment, is not found. */
export async function loadOrder(
  { db }: Pick<DashboardDeps, "db">,
  ctx: DashboardContext,
): Promise<OrderData> {
  const tenant = tenantOf(ctx);
  const { id = "" } = ctx.params;
  const order = await getOrder(db, tenant, id);
  const [origin, timeline, codes] = await Promise.all([
    getOrderOrigin(db, tenant, id),
    getTimeline(db, tenant, id),
    listCodes(db, tenant, id),
  ]);
  const revealers = codes.reveals.flatMap(({ by }) => (by === "operator" ? [] : [by]));
  const [requestId, names, hosts] = await Promise.all([
    findPlacement(db, tenant, { placedBy: origin.placedBy, createdAt: new Date(order.createdAt) }),
    nameActors(db, ctx.session.resellerId, [origin.placedBy, ...revealers]),
    endpointHosts(db, tenant),
  ]);
  return { order, origin, requestId, timeline, codes, names, hosts };
}

/** People by their email, keys by what can be shown of them. Whoever cannot be named is left out. */
async function nameActors(
  db: DashboardDeps["db"],
  resellerId: string,
  actors: readonly Actor[],
): Promise<ReadonlyMap<string, string>> {
  const idsOf = (kind: Actor["kind"]) => [
    ...new Set(actors.filter((actor) => actor.kind === kind).map(({ id }) => id)),
  ];
  const [people, keys] = await Promise.all([
    namePeople(db, { kind: "user", resellerId }, idsOf("user")),
    Promise.all(idsOf("key").map((id) => describeKey(db, resellerId, id))),
  ]);
  return new Map([
    ...[...people].map(([id, email]) => [`user ${id}`, email] as const),
    ...keys.flatMap((key) => (key ? [[`key ${key.id}`, key.hint] as const] : [])),
  ]);
}
