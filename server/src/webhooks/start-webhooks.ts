import type { Db } from "../db/database.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Clock } from "../lib/clock.ts";
import type { IpRange } from "../lib/ip.ts";
import type { Log } from "../lib/log.ts";
import type { Secret } from "../lib/secret.ts";
import { createSmtpMail } from "../mail/smtp-mail.ts";
import type { Keyring } from "../vault/keyring.ts";
import { createCheckedAgent } from "./addresses/checked-agent.ts";
import type { WebhookLookup } from "./addresses/resolve-webhook-host.ts";
import { DELIVERY_LIMITS, type DeliveryLimits } from "./delivery/limits.ts";
import { createDeliveryMetrics } from "./delivery/metrics.ts";
import { keepOpened } from "./delivery/open-secrets.ts";
import { sendDelivery } from "./delivery/send-delivery.ts";
import { openWebhookSecret } from "./endpoints/webhook-secret.ts";
import { type RunningWebhooks, runWebhooks } from "./run-webhooks.ts";

export type WebhooksContext = {
  db: Db;
  clock: Clock;
  /** The clock of this machine, if `clock` is another one. */
  machineClock?: Clock | undefined;
  keyring: Keyring;
  log: Log;
  metrics: Metrics;
  allowNetworks: readonly IpRange[];
  localAddress?: string | undefined;
  proxyUrl?: Secret<string> | undefined;
  /** Without it letters wait in the database, and none is sent. */
  mail?: { url: Secret<string>; from: string } | undefined;
  lookup?: WebhookLookup | undefined;
};

/** Starts deliveries with what a server's context gives them. */
export function startWebhooks(
  context: WebhooksContext,
  changes: Partial<DeliveryLimits> = {},
): RunningWebhooks {
  const { db, clock, machineClock, keyring, log, metrics, allowNetworks, mail } = context;
  const agent = createCheckedAgent(context);
  return runWebhooks({
    db,
    clock,
    machineClock,
    log,
    limits: { ...DELIVERY_LIMITS, ...changes },
    metrics: createDeliveryMetrics(metrics.registry),
    openSecret: keepOpened((endpointId, sealed) => openWebhookSecret(keyring, endpointId, sealed)),
    send: (sending) => sendDelivery({ agent, allowNetworks }, sending),
    sendMail: mail && createSmtpMail(mail),
  });
}
