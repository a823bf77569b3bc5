import type { Log } from "../../lib/log.ts";
import type { PlacementQueues } from "../placing/placement-batch.ts";
import { forwardPlacements } from "./forward-placements.ts";
import { servePlacements } from "./serve-placements.ts";
import { WIRE_VERSION } from "./wire-values.ts";

/** Where the HTTP processes of a machine place orders together, and whether that is this process. */
export type Placer = { path: string; isHere: boolean };

export type SharedPlacements = PlacementQueues & { close(): Promise<void> };

/** The queues that this process submits to: its own, or those of the process that places for the machine. */
export async function sharePlacements(
  placer: Placer | undefined,
  own: PlacementQueues,
  onPlaced: () => void,
  log: Log,
): Promise<SharedPlacements> {
  if (!placer) return { ...own, close: async () => {} };
  // Processes of different versions do not meet: one that was started again after an upgrade listens and connects elsewhere.
  const path = `${placer.path}.${WIRE_VERSION}`;
  if (!placer.isHere) {
    const forwarded = forwardPlacements(path, own);
    return { ...forwarded, close: async () => forwarded.close() };
  }
  try {
    const server = await servePlacements(path, own, onPlaced);
    return { ...own, close: () => server.close() };
  } catch (err) {
    log.warn({ err }, "each process places its orders by itself: the socket cannot be used");
    return { ...own, close: async () => {} };
  }
}
