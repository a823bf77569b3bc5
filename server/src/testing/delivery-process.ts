import { connectDatabase } from "../db/database.ts";
import { createMetrics } from "../http/metrics.ts";
import { systemClock } from "../lib/clock.ts";
import { createLog } from "../lib/log.ts";
import { fixedKeyring } from "../vault/keyring.ts";
import { createCheckedAgent } from "../webhooks/checked-agent.ts";
import { DELIVERY_LIMITS, type DeliveryLimits } from "../webhooks/delivery-limits.ts";
import { createDeliveryMetrics } from "../webhooks/delivery-metrics.ts";
import { openWebhookSecret } from "../webhooks/open-secret.ts";
import { runWebhooks } from "../webhooks/run-webhooks.ts";
import { sendDelivery } from "../webhooks/send-delivery.ts";
import { LOOPBACK, MASTER_KEYS } from "./delivery.ts";
import { caCertificate } from "./tls-fixture.ts";

/** Deliveries in a process of their own, to be killed; see start-delivery-process. */
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
