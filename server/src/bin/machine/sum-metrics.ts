import { AggregatorRegistry } from "prom-client";
import type { Measured } from "./messages.ts";

export type MetricSums = {
  /** The newest figures of a process. */
  keep(label: string, metrics: Measured): void;
  /** The process is gone. What it counted stays in the sums: a counter that falls looks like a reset to Prometheus. */
  retire(label: string): void;
  /** The text of /metrics. Gauges come only from the processes named here, the others are silent or gone. */
  print(responding: ReadonlySet<string>): Promise<string>;
};

/**
 * Adds up the counters and histograms of all processes. A gauge says itself what several of it mean (`aggregator`): most
 * are read from the database by each process, so their maximum counts.
 */
export function createMetricSums(): MetricSums {
  const latest = new Map<string, Measured>();
  let retired: Measured = [];
  return {
    keep: (label, metrics) => void latest.set(label, metrics),
    retire(label) {
      const last = latest.get(label);
      if (!last) return;
      latest.delete(label);
      retired = addUp([retired, totalsOf(last)]);
    },
    async print(responding) {
      const all = [...latest].map(([label, metrics]) =>
        responding.has(label) ? metrics : totalsOf(metrics),
      );
      return AggregatorRegistry.aggregate([...all, retired]).metrics();
    },
  };
}

/** Without gauges, which are about now. */
const totalsOf = (metrics: Measured): Measured =>
  metrics.filter(({ type }) => ["counter", "histogram"].includes(String(type)));

/** One of each metric, with the sums of its values. */
const addUp = (parts: readonly Measured[]): Measured =>
  AggregatorRegistry.aggregate([...parts]).getMetricsAsArray() as Measured;
