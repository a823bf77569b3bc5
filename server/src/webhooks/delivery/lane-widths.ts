import type { DeliveryLimits } from "./limits.ts";

export type LaneWidths = {
  /** How many deliveries may be under way to an endpoint at once. */
  of(endpointId: string): number;
  /** How many of a batch went well, and how many failed or took too long. */
  adjust(endpointId: string, succeeded: number, failed: number): void;
};

/** How many endpoints are remembered; one that was forgotten begins anew. */
const REMEMBERED_MAX = 10_000;

/** Failures, and successes that take too long, halve a lane's width, down to one; each quick success widens it by one. */
export function createLaneWidths({ laneFirst, laneMax }: DeliveryLimits): LaneWidths {
  const widths = new Map<string, number>();
  const of = (endpointId: string) => widths.get(endpointId) ?? laneFirst;
  return {
    of,
    adjust(endpointId, succeeded, failed) {
      const width = failed > 0 ? Math.max(1, Math.floor(of(endpointId) / 2)) : of(endpointId) + succeeded;
      widths.delete(endpointId);
      widths.set(endpointId, Math.min(width, laneMax));
      const [oldest] = widths.keys();
      if (widths.size > REMEMBERED_MAX && oldest !== undefined) widths.delete(oldest);
    },
  };
}
