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
  contradictions: string[];
  counts: { answers: number; lost: number; reads: number; rotations: number; revocations: number };
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
    contradictions: [],
    counts: { answers: 0, lost: 0, reads: 0, rotations: 0, revocations: 0 },
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
