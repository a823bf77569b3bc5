import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { SupplierVitals } from "../suppliers/health-queries.ts";
import type { OrderEnding } from "./end/end-orders.ts";
import type { Backlog } from "./sweep-queries.ts";

export type FulfilmentMetrics = {
  /** A live order was settled: its status, and the time since its acceptance. */
  count(ending: OrderEnding["ending"], ageMs: number): void;
  show(backlog: Backlog): void;
  /** How each supplier does. Those that are not given are no longer shown. */
  showSuppliers(vitals: readonly SupplierVitals[]): void;
};

const BUCKETS_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600];

/** Every worker reads the gauges from the same database, so several of them mean the largest. */
const aggregator = "max";

/** No product or reseller is a label, and suppliers only by id. */
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
  const due = new Gauge({
    name: "scrip_orders_due",
    help: "Orders that wait for a worker.",
    aggregator,
    registers,
  });
  const oldest = new Gauge({
    name: "scrip_orders_oldest_due_seconds",
    help: "How long the order that waits longest has been due.",
    aggregator,
    registers,
  });
  const unknown = new Gauge({
    name: "scrip_purchases_unknown",
    help: "Purchases whose outcome is not known yet.",
    aggregator,
    registers,
  });
  const oldestUnknown = new Gauge({
    name: "scrip_purchases_oldest_unknown_seconds",
    help: "How long the purchase that waits longest for its outcome has been under way.",
    aggregator,
    registers,
  });
  const showSuppliers = createSupplierGauges(registers);
  return {
    showSuppliers,
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

function createSupplierGauges(registers: Registry[]): FulfilmentMetrics["showSuppliers"] {
  const labelNames = ["supplier"] as const;
  const delivered = new Gauge({
    name: "scrip_supplier_delivered_ratio",
    help: "The share of the purchases of the last day that were delivered, by supplier id.",
    labelNames,
    aggregator,
    registers,
  });
  const seconds = new Gauge({
    name: "scrip_supplier_delivery_seconds",
    help: "From the first call to the delivery, over the last day: the quantiles 0.5 and 0.95.",
    labelNames: [...labelNames, "quantile"] as const,
    aggregator,
    registers,
  });
  const isOpen = new Gauge({
    name: "scrip_supplier_circuit_open",
    help: "1 while a supplier is paused by its circuit breaker.",
    labelNames,
    aggregator,
    registers,
  });
  return (vitals) => {
    for (const gauge of [delivered, seconds, isOpen]) gauge.reset();
    for (const { id: supplier, purchases, medianMs, p95Ms, ...one } of vitals) {
      isOpen.set({ supplier }, one.isOpen ? 1 : 0);
      if (purchases > 0) delivered.set({ supplier }, one.delivered / purchases);
      if (medianMs !== null) seconds.set({ supplier, quantile: "0.5" }, medianMs / 1_000);
      if (p95Ms !== null) seconds.set({ supplier, quantile: "0.95" }, p95Ms / 1_000);
    }
  };
}
