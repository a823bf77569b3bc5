import { connectDatabase } from "../../src/db/database.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { fixedKeyring } from "../../src/vault/keyring.ts";
import { createCheckedAgent } from "../../src/webhooks/addresses/checked-agent.ts";
import { DELIVERY_LIMITS, type DeliveryLimits } from "../../src/webhooks/delivery/limits.ts";
import { createDeliveryMetrics } from "../../src/webhooks/delivery/metrics.ts";
import { sendDelivery } from "../../src/webhooks/delivery/send-delivery.ts";
import { openWebhookSecret } from "../../src/webhooks/endpoints/webhook-secret.ts";
import { runWebhooks } from "../../src/webhooks/run-webhooks.ts";
import { LOOPBACK, MASTER_KEYS } from "../builders/delivery.ts";
import { caCertificate } from "../receivers/tls-fixture.ts";

/** Deliveries in a separate process that can be killed; see start-delivery-process. */
export type DeliveryProcessInput = { connectionString: string; limits: Partial<DeliveryLimits> };

const { connectionString, limits } = JSON.parse(process.argv[2] ?? "") as DeliveryProcessInput;
const db = connectDatabase({
  connectionString,
  applicationName: "scrip test deliveries",
  poolSize: 4,
  onConnectionLost: () => {},
});
const keyring = fixedKeyring(MASTER_KEYS);
const agent = createCheckedAgent({ allowNetworks: LOOPBACK, ca: caCertificate });
const running = runWebhooks({
  db,
  clock: systemClock,
  log: createLog("error", process.stderr),
  limits: { ...DELIVERY_LIMITS, ...limits },
  metrics: createDeliveryMetrics(createMetrics().registry),
  openSecret: (endpointId, sealed) => openWebhookSecret(keyring, endpointId, sealed),
  send: (sending) => sendDelivery({ agent, allowNetworks: LOOPBACK }, sending),
});
process.send?.("started");

process.once("disconnect", async () => {
  await running.stop(5_000);
  agent.destroy();
  await db.close();
});
