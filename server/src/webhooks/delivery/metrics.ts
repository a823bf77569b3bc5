import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { SendOutcome } from "./send-delivery.ts";

export type DeliveryMetrics = {
  count(outcome: SendOutcome): void;
  show(backlog: { waiting: number; lanes: number; failing: number; oldestSeconds: number }): void;
};

const BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
  // Every worker reads them from the same database, so several of them mean the largest.
  const gauge = (name: string, help: string) => new Gauge({ name, help, aggregator: "max", registers });
  const attempts = new Counter({
    name: "scrip_webhook_attempts_total",
    help: "Attempts to deliver an event, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const latency = new Histogram({
    name: "scrip_webhook_attempt_seconds",
    help: "How long an attempt took.",
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const waiting = gauge("scrip_webhook_deliveries_waiting", "Deliveries that are due and not yet sent.");
  const lanes = gauge("scrip_webhook_lanes", "Endpoints with waiting deliveries.");
  const failing = gauge("scrip_webhook_endpoints_failing", "Endpoints whose deliveries all fail.");
  const oldest = gauge(
    "scrip_webhook_oldest_due_seconds",
    "How long the oldest waiting delivery has been due.",
  );
  return {
    count({ kind, latencyMs }) {
      attempts.inc({ outcome: kind });
      latency.observe(latencyMs / 1_000);
    },
    show(backlog) {
      waiting.set(backlog.waiting);
      lanes.set(backlog.lanes);
      failing.set(backlog.failing);
      oldest.set(backlog.oldestSeconds);
    },
  };
}
