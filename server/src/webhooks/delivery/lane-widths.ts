import type { DeliveryLimits } from "./limits.ts";

export type LaneWidths = {
  /** How many deliveries to an endpoint can be in progress at once. */
  of(endpointId: string): number;
  /** How many of a batch succeeded, and how many failed or took too long. */
  adjust(endpointId: string, succeeded: number, failed: number): void;
};

/** How many endpoints are remembered. One that was forgotten starts again at the first width. */
const REMEMBERED_MAX = 10_000;

/** A failure, or a success that takes too long, halves a lane's width, down to one. A quick success adds one. */
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
