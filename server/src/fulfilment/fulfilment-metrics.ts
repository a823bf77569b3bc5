import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { OrderEnding } from "./end/end-orders.ts";
import type { Backlog } from "./sweep-queries.ts";

export type FulfilmentMetrics = {
  /** A live order was settled: its status, and the time since its acceptance. */
  count(ending: OrderEnding["ending"], ageMs: number): void;
  show(backlog: Backlog): void;
};

const BUCKETS_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600];

/** No supplier, product or reseller is a label. */
export function createFulfilmentMetrics(registry: Registry): FulfilmentMetrics {
  const registers = [registry];
  const ended = new Counter({
    name: "scrip_orders_ended_total",
    help: "Live orders that came to an end, by how.",
    labelNames: ["ending"],
    registers,
  });
  const duration = new Histogram({
    name: "scrip_order_fulfilment_seconds",
    help: "From a live order's acceptance to its completion.",
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const due = new Gauge({ name: "scrip_orders_due", help: "Orders that wait for a worker.", registers });
  const oldest = new Gauge({
    name: "scrip_orders_oldest_due_seconds",
    help: "How long the order that waits longest has been due.",
    registers,
  });
  const unknown = new Gauge({
    name: "scrip_purchases_unknown",
    help: "Purchases whose outcome is not known yet.",
    registers,
  });
  const oldestUnknown = new Gauge({
    name: "scrip_purchases_oldest_unknown_seconds",
    help: "How long the purchase that waits longest for its outcome has been under way.",
    registers,
  });
  return {
    count(ending, ageMs) {
      if (ending === "open") return;
      ended.inc({ ending });
      if (ending.startsWith("completed")) duration.observe(ageMs / 1_000);
    },
    show({ dueOrders, oldestDueSeconds, unknownAttempts, oldestUnknownSeconds }) {
      due.set(dueOrders);
      oldest.set(oldestDueSeconds);
      unknown.set(unknownAttempts);
      oldestUnknown.set(oldestUnknownSeconds);
    },
  };
}
