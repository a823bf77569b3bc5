import type { IpRange } from "../lib/ip.ts";
import type { WebhookLookup } from "./addresses/resolve-webhook-host.ts";

/** The channel on which workers hear that there is something to deliver. */
export const DELIVERIES_CHANNEL = "scrip_webhooks";

/** Which addresses webhooks may go to, and which they come from. */
export type WebhookSettings = {
  /** The addresses that deliveries are sent from, as they are published. */
  egressIps: readonly string[];
  allowNetworks: readonly IpRange[];
  /** Tests replace the system's lookup. */
  lookup?: WebhookLookup;
};
