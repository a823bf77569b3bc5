import type { Tenant } from "../server/src/http/caller.ts";

type Told = { id: string; totalMinor: number };

/** An order that a caller wanted to place, and what the caller was told. */
export type Wanted = Tenant & {
  idempotencyKey: string;
  productId: string;
  quantity: number;
  told: Told | undefined;
  /** The last refusal, if any. Another try of the same order might have been accepted. */
  refused: string | undefined;
};

/** A payment into a wallet, by its note. An unacknowledged payment can exist or not. */
export type Payment = Tenant & { note: string; amountMinor: number; acknowledged: boolean };

/** A job, and what its result must have at least, or exactly: exported orders, imported codes. */
export type StartedJob = { id: string; kind: string; exportedMin?: number; imported?: number };

export type Counts = {
  answers: number;
  lost: number;
  reads: number;
  /** Of signing secrets. */
  rotations: number;
  revocations: number;
  /** Of the web, and the orders that were placed there. */
  pages: number;
  formOrders: number;
  /** Master keys that were added, values that were sealed again under them, and keys that were removed. */
  masterKeys: number;
  rewrapped: number;
  removedKeys: number;
};

/** Everything that callers were told, to be compared with the final state. */
export type Recorder = {
  wanted: Map<string, Wanted>;
  /** Those of `wanted` that were acknowledged, in this order. */
  acknowledged: (Wanted & { told: Told })[];
  payments: Payment[];
  /** Orders whose full or partial refund was acknowledged to the operator. */
  refunded: Set<string>;
  /** Codes by order and then by id, as they were first read. */
  codes: Map<string, Map<string, string>>;
  /** Secrets of webhook endpoints, by endpoint: any of them can have signed a delivery. */
  secrets: Map<string, string[]>;
  /** Times at which an endpoint may have had a secret alone whose response was lost. */
  unknownSecrets: { name: string; fromMs: number; toMs: number }[];
  /** Jobs whose start was acknowledged. */
  jobs: StartedJob[];
  /** Why processes did not start. They were started again. */
  refusedStarts: string[];
  contradictions: string[];
  counts: Counts;
  /** Records that a placement was acknowledged now. */
  served(): void;
  longestGapMs(): number;
  startGaps(): void;
  stopGaps(): void;
};

export function createRecorder(): Recorder {
  let lastMs: number | undefined;
  let longestMs = 0;
  const note = () => {
    if (lastMs !== undefined) longestMs = Math.max(longestMs, performance.now() - lastMs);
  };
  return {
    wanted: new Map(),
    acknowledged: [],
    payments: [],
    refunded: new Set(),
    codes: new Map(),
    secrets: new Map(),
    unknownSecrets: [],
    jobs: [],
    refusedStarts: [],
    contradictions: [],
    counts: {
      ...{ answers: 0, lost: 0, reads: 0, rotations: 0, revocations: 0, pages: 0, formOrders: 0 },
      ...{ masterKeys: 0, rewrapped: 0, removedKeys: 0 },
    },
    served() {
      note();
      if (lastMs !== undefined) lastMs = performance.now();
    },
    longestGapMs: () => longestMs,
    startGaps() {
      lastMs = performance.now();
    },
    stopGaps() {
      note();
      lastMs = undefined;
    },
  };
}
