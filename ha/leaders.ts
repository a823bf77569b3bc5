import type { Via } from "./options.ts";

/** A row that a member acknowledged to the prober, over which path, and on which timeline. */
export type ProbeAck = { id: string; via: Via; member: string; timeline: number; atMs: number };

export type TwoLeaders = { newer: string; older: string; afterMs: number };

/** The clients share a clock, but their responses can be read out of order. */
const ORDER_MARGIN_MS = 1_000;

/**
 * Every promotion starts a new timeline, so a write on an older one after a write on a newer one means that two members
 * were leaders: one of the two histories will be thrown away.
 */
export function findTwoLeaders(acks: readonly ProbeAck[]): TwoLeaders | undefined {
  const inOrder = [...acks].sort((left, right) => left.atMs - right.atMs);
  let newest: ProbeAck | undefined;
  for (const ack of inOrder) {
    if (!newest || ack.timeline > newest.timeline) newest = ack;
    const isOther =
      ack.timeline < newest.timeline || (ack.timeline === newest.timeline && ack.member !== newest.member);
    if (isOther && ack.atMs > newest.atMs + ORDER_MARGIN_MS)
      return { newer: newest.member, older: ack.member, afterMs: ack.atMs - newest.atMs };
  }
  return undefined;
}

/** The longest time without an event between two times. The last earlier event counts as the start. */
export function longestGapMs(timesMs: readonly number[], fromMs: number, toMs: number): number {
  const inOrder = [...timesMs].sort((left, right) => left - right);
  const before = inOrder.findLast((at) => at <= fromMs) ?? fromMs;
  const within = inOrder.filter((at) => at > fromMs && at < toMs);
  const points = [before, ...within, toMs];
  return points.slice(1).reduce((longest, at, index) => Math.max(longest, at - (points[index] ?? at)), 0);
}

/** The members that acknowledged writes, in order. */
export function leadersInOrder(acks: readonly ProbeAck[]): string[] {
  const names = [...acks].sort((left, right) => left.atMs - right.atMs).map(({ member }) => member);
  return names.filter((name, index) => name !== names[index - 1]);
}
