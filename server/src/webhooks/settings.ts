import type { IpRange } from "../lib/ip.ts";
import type { WebhookLookup } from "./addresses/resolve-webhook-host.ts";

/** Where webhooks may go, and where they come from. */
export type WebhookSettings = {
  /** The addresses that deliveries are sent from, as they are published. */
  egressIps: readonly string[];
  allowNetworks: readonly IpRange[];
  /** Other than the system's, for tests. */
  lookup?: WebhookLookup;
};
