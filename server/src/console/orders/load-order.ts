import { namePeople } from "../../accounts/people/name-people.ts";
import { type ActivityEntry, listActivity } from "../../activity/list-activity.ts";
import { type DescribedOrder, describeOrder } from "../../fulfilment/operate/describe-order.ts";
import { describeKey } from "../../keys/describe-key.ts";
import { type Actor, actorKey } from "../../lib/actor.ts";
import { findPlacement } from "../../requests/find-placement.ts";
import type { ConsoleContext, ConsoleDeps } from "../session.ts";

/** Everything that the page of an order shows. */
export type OrderData = {
  described: DescribedOrder;
  /** What people and commands did with it, oldest first. */
  actions: readonly ActivityEntry[];
  /** The API request that placed it, when it is in the log. */
  requestId: string | undefined;
  /** How actors are shown, by `kind id`. */
  names: ReadonlyMap<string, string>;
};

const ACTIONS_MAX = 100;

export async function loadOrder(
  { db, clock }: Pick<ConsoleDeps, "db" | "clock">,
  ctx: ConsoleContext,
): Promise<OrderData> {
  const { id = "" } = ctx.params;
  const described = await describeOrder(db, id, clock.now());
  const { resellerId, environment, placedBy, order } = described;
  const about = { object: { kind: "order", id } };
  const [log, requestId] = await Promise.all([
    listActivity(db, { kind: "staff" }, about, { limit: ACTIONS_MAX }),
    findPlacement(db, { resellerId, environment }, { placedBy, createdAt: new Date(order.createdAt) }),
  ]);
  const actors = [placedBy, ...log.data.map(({ actor }) => ({ kind: actor.kind, id: actor.id ?? "" }))];
  const names = await nameActors(db, resellerId, actors);
  return { described, actions: log.data.toReversed(), requestId, names };
}

/** People by their email, keys by what can be shown of them. Anyone who cannot be named is left out. */
async function nameActors(
  db: ConsoleDeps["db"],
  resellerId: string,
  actors: readonly Actor[],
): Promise<ReadonlyMap<string, string>> {
  const idsOf = (kind: Actor["kind"]) => [
    ...new Set(actors.filter((actor) => actor.kind === kind).map(({ id }) => id)),
  ];
  const [users, staff, keys] = await Promise.all([
    namePeople(db, { kind: "user", resellerId }, idsOf("user")),
    namePeople(db, { kind: "staff" }, idsOf("staff")),
    Promise.all(idsOf("key").map((id) => describeKey(db, resellerId, id))),
  ]);
  return new Map([
    ...[...users].map(([id, email]) => [actorKey({ kind: "user", id }), email] as const),
    ...[...staff].map(([id, email]) => [actorKey({ kind: "staff", id }), email] as const),
    ...keys.flatMap((key) => (key ? [[actorKey({ kind: "key", id: key.id }), key.hint] as const] : [])),
  ]);
}
