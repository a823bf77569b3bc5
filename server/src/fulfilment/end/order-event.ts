import type { NewEvent } from "../../events/emit-events.ts";
import type { Tenant } from "../../http/caller.ts";
import { planEventDelivery } from "../../sandbox/plan-event-delivery.ts";
import type { OrderScenario } from "../../sandbox/scenarios.ts";

/** The order that an event is about. */
export type ToldOrder = Tenant & { id: string; reference: string | null; scenario: OrderScenario | null };

/** An order completes once. The event's status is `fulfilled`, which is not a status of an order (SPEC.md, Events). */
export const orderFulfilled = (order: ToldOrder): NewEvent => ({
  ...aboutOrder(order, "fulfilled"),
  type: "order.fulfilled",
  cause: "fulfilled",
});

/** Each refund is one entry of the ledger, and one event. */
export const orderRefunded = (
  order: ToldOrder,
  entryId: string,
  status: "refunded" | "partially_refunded",
): NewEvent => ({
  ...aboutOrder(order, status),
  type: "order.refunded",
  cause: entryId,
});

const aboutOrder = ({ id, resellerId, environment, reference, scenario }: ToldOrder, status: string) => ({
  resellerId,
  environment,
  subject: { kind: "order" as const, id },
  data: { order_id: id, status, ...(reference === null ? {} : { reference }), environment },
  wishes: planEventDelivery(scenario),
});
