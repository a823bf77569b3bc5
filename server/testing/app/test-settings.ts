import { type IpRange, parseIpRange } from "../../src/lib/ip.ts";
import type { WebhookSettings } from "../../src/webhooks/settings.ts";

/** Opens everything that is sealed in tests, so that the processes of one test agree on it. */
export const TEST_MASTER_KEY = Buffer.alloc(32, 7);

/** Every name leads to the same public address, and no name server is asked. */
export const TEST_WEBHOOKS: WebhookSettings = {
  egressIps: ["192.0.2.10", "2001:db8::10"],
  allowNetworks: [],
  lookup: async () => ["93.184.215.14"],
};

export const LOOPBACK: readonly IpRange[] = [parseIpRange("127.0.0.0/8") as IpRange];
