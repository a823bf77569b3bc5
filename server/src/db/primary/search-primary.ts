type Failure = { error: unknown; atMs: number };

/** Asks all hosts concurrently and repeatedly until one of them is good. */
export type PrimarySearch = {
  start(): void;
  stop(): void;
  /** Whether every host asked since then has refused, or is silent while another has refused. */
  isVain(sinceMs: number): boolean;
  /** The last failure of each host. Undefined for hosts that have not responded. */
  failures(): readonly unknown[];
};

export type SearchOptions<Found> = {
  count: number;
  /** Fails when the signal is aborted, or after its own limit. */
  attempt(index: number, signal: AbortSignal): Promise<Found>;
  /** Called at most once per search, which then stops. */
  onFound(index: number, found: Found): void;
  onFailure(): void;
  /** Discards a result that came too late. */
  discard(found: Found): void;
};

/** Protects a standby that is being promoted. */
export const SEARCH_PAUSE_MS = 200;
/** A host that is silent for this long does not delay the refusal if another host has responded. */
const SILENT_HOST_MS = 1_000;

/** Hosts are asked concurrently, because a silent one would delay the one that takes over. */
export function createSearch<Found>(options: SearchOptions<Found>): PrimarySearch {
  const indexes = Array.from({ length: options.count }, (_, index) => index);
  const failures: (Failure | undefined)[] = indexes.map(() => undefined);
  const askedAtMs: number[] = indexes.map(() => 0);
  let running: AbortController | undefined;

  const tryHost = async (index: number, search: AbortController): Promise<void> => {
    while (running === search) {
      askedAtMs[index] = performance.now();
      try {
        const found = await options.attempt(index, search.signal);
        if (running !== search) return options.discard(found);
        stop();
        return options.onFound(index, found);
      } catch (error) {
        if (running !== search) return;
        failures[index] = { error, atMs: performance.now() };
        options.onFailure();
      }
      await new Promise((resolve) => void setTimeout(resolve, SEARCH_PAUSE_MS).unref());
    }
  };

  const stop = (): void => {
    running?.abort();
    running = undefined;
  };

  return {
    start() {
      if (running) return;
      const search = new AbortController();
      running = search;
      for (const index of indexes) void tryHost(index, search);
    },
    stop,
    isVain(sinceMs) {
      if (!running) return false;
      const hasRefused = (index: number): boolean =>
        (failures[index]?.atMs ?? Number.NEGATIVE_INFINITY) >= sinceMs - SEARCH_PAUSE_MS;
      const silentSinceMs = performance.now() - SILENT_HOST_MS;
      return (
        indexes.some(hasRefused) &&
        indexes.every((index) => hasRefused(index) || (askedAtMs[index] ?? 0) < silentSinceMs)
      );
    },
    failures: () => failures.map((failure) => failure?.error),
  };
}
