import type { CursorCodec } from "../lib/cursor.ts";
import type { EndpointDeps } from "./endpoints/register-endpoint.ts";

/** What the routes of this folder need. */
export type WebhookDeps = EndpointDeps & {
  cursors: CursorCodec;
  /** Tells the workers that there is something to send. */
  announceDeliveries: () => void;
};
