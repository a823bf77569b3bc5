import type { AccountDeps } from "../accounts/account-deps.ts";
import { consoleUrlOf } from "../config.ts";
import { buildConsole, type ConsoleApp } from "../console/build-console.ts";
import { createAnnouncer } from "../db/announce.ts";
import { FULFILMENT_LIMITS } from "../fulfilment/limits.ts";
import { ORDERS_CHANNEL } from "../fulfilment/run-fulfilment.ts";
import { createSupplierCalls } from "../fulfilment/supplier-calls.ts";
import { addressFinder } from "../http/client-address.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Clock } from "../lib/clock.ts";
import { createCursorCodec } from "../lib/cursor.ts";
import type { Log } from "../lib/log.ts";
import { DELIVERIES_CHANNEL } from "../webhooks/settings.ts";
import type { Context } from "./open-context.ts";

/** `workClock`: the time by which workers judge purchases. */
export type ConsoleParts = { accounts: AccountDeps; baseUrl: () => string; workClock: Clock };

/** The console on its own listener, or undefined when it is off. */
export async function serveConsole(
  context: Context,
  log: Log,
  metrics: Metrics,
  { accounts, baseUrl, workClock }: ConsoleParts,
): Promise<ConsoleApp | undefined> {
  const { config, db, secrets } = context;
  const { consoleHost: host, consolePort: port } = config;
  if (port === 0) return undefined;
  // Both default and PORT are the same number. What answers on the public port is never the console.
  if (port === config.port) return refuseOrWarn(context, log, "it is the same as PORT");
  const { closeSuppliers, ...supplierCalls } = createSupplierCalls(
    { ...context, clock: workClock, log },
    FULFILMENT_LIMITS,
  );
  const app = buildConsole({
    ...context,
    supplierCalls,
    log,
    metrics,
    accounts,
    baseUrl,
    cursors: createCursorCodec(secrets.cursorKey),
    webhooks: { egressIps: config.webhookEgressIps, allowNetworks: config.webhookAllowNetworks },
    sendsMail: config.smtpUrl !== undefined,
    dualControl: config.dualControlAbove,
    pricing: config.pricing,
    consoleUrl: config.consoleUrl,
    addressOf: addressFinder(config.trustedProxies),
    announceOrders: createAnnouncer(db, ORDERS_CHANNEL),
    announceDeliveries: createAnnouncer(db, DELIVERIES_CHANNEL),
  });
  app.addHook("onClose", closeSuppliers);
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    return refuseOrWarn(context, log, (error as Error).message);
  }
  log.info({ address: consoleUrlOf(config) }, "the console is ready");
  return app;
}

/** A port that was asked for must be served. The default one can belong to another server of this machine. */
function refuseOrWarn({ config }: Context, log: Log, why: string): undefined {
  const { consolePort: port } = config;
  if (config.consolePortWasAsked)
    throw new Error(`CONSOLE_PORT ${port} cannot be used: ${why}; set it to a free port, or to 0 for none`);
  log.warn(
    { port },
    "the console is not served: its port is in use; set CONSOLE_PORT to a free port, or to 0 for none",
  );
  return undefined;
}
