export type Labels = { method: string; route: string; status: string };

export type Latencies = {
  observe(method: string, route: string, status: number, seconds: number): void;
  /** What the registry asks when it is scraped. */
  metric: {
    name: string;
    help: string;
    type: "histogram";
    aggregator: "sum";
    get(): Promise<object>;
    reset(): void;
  };
};

type Series = { labels: Labels; counts: number[]; sumSeconds: number };

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * A histogram by method, route and status. The library's own hashes its labels at each observation, which took a
 * twentieth of a catalog request; this one finds its series by one text and adds to two numbers.
 */
export function createLatencies(name: string, help: string): Latencies {
  const all = new Map<string, Series>();
  return {
    observe(method, route, status, seconds) {
      const key = `${status}${method}${route}`;
      let series = all.get(key);
      if (!series) {
        series = { labels: { method, route, status: String(status) }, counts: emptyCounts(), sumSeconds: 0 };
        all.set(key, series);
      }
      const bucket = BUCKETS_SECONDS.findIndex((bound) => seconds <= bound);
      const index = bucket === -1 ? BUCKETS_SECONDS.length : bucket;
      series.counts[index] = (series.counts[index] ?? 0) + 1;
      series.sumSeconds += seconds;
    },
    metric: {
      name,
      help,
      type: "histogram",
      aggregator: "sum",
      get: async () => ({
        name,
        help,
        type: "histogram",
        aggregator: "sum",
        values: [...all.values()].flatMap((series) => render(name, series)),
      }),
      reset: () => all.clear(),
    },
  };
}

/** One count for each bucket, and one for what is slower than all of them. */
const emptyCounts = (): number[] => new Array(BUCKETS_SECONDS.length + 1).fill(0);

/** Prometheus wants each bucket to count what the smaller ones count too. */
function render(name: string, { labels, counts, sumSeconds }: Series): object[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return {
      metricName: `${name}_bucket`,
      labels: { le: BUCKETS_SECONDS[index] ?? "+Inf", ...labels },
      value: total,
    };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumSeconds },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
