/** One moment by both clocks: the steady one stands still while a machine sleeps, and the other can be set. */
export type Moment = { steadyMs: number; wallMs: number };

export const momentNow = (): Moment => ({ steadyMs: performance.now(), wallMs: Date.now() });

/** How long a primary that was confirmed is trusted. */
export type PrimaryLease = {
  /** The time counts from when the confirming write was sent, not from when its answer came. */
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
