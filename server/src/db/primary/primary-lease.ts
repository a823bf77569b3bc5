/** One moment on two clocks: the monotonic one stops while the machine sleeps, and the wall clock can be set. */
export type Moment = { steadyMs: number; wallMs: number };

export const momentNow = (): Moment => ({ steadyMs: performance.now(), wallMs: Date.now() });

/** How long a confirmed primary is trusted. */
export type PrimaryLease = {
  /** The time counts from when the confirming write was sent, not from its response. */
  renew(sentAt: Moment): void;
  /** From now on only a write that is sent later counts. */
  drop(): void;
  holds(): boolean;
};

export function createPrimaryLease(leaseMs: number): PrimaryLease {
  let steadyMs = Number.NEGATIVE_INFINITY;
  let wallMs = Number.NEGATIVE_INFINITY;
  let droppedMs = Number.NEGATIVE_INFINITY;
  return {
    renew(sentAt) {
      if (sentAt.steadyMs < Math.max(steadyMs, droppedMs)) return;
      ({ steadyMs, wallMs } = sentAt);
    },
    drop() {
      droppedMs = performance.now();
      steadyMs = wallMs = Number.NEGATIVE_INFINITY;
    },
    holds: () => performance.now() - steadyMs <= leaseMs && Date.now() - wallMs <= leaseMs,
  };
}
