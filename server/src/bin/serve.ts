import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import sql from "sql-template-tag";
import type { AccountDeps } from "../accounts/account-deps.ts";
import { runAccountUpkeep } from "../accounts/run-account-upkeep.ts";
import { runAlerts } from "../alerts/run-alerts.ts";
import { buildApp } from "../app.ts";
import { runCatalogUpkeep } from "../catalog/upkeep/run-catalog-upkeep.ts";
import { type Config, consoleUrlOf } from "../config.ts";
import { createAnnouncer } from "../db/announce.ts";
import { startDatabaseClock } from "../db/database-clock.ts";
import { runTestDeposits } from "../deposits/credit-test-deposits.ts";
import { startWorker } from "../fulfilment/start-worker.ts";
import { runRates } from "../fx/run-rates.ts";
import { bareApp } from "../http/bare-app.ts";
import { healthRoutes } from "../http/health.ts";
import { createMetrics, type Metrics } from "../http/metrics.ts";
import { runJobs } from "../jobs/run-jobs.ts";
import { runVelocityWatch } from "../keys/limits/watch-velocity.ts";
import { openSharedLimits, type SharedLimits } from "../keys/rate/open-shared-limits.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Placer } from "../orders/forward/share-placements.ts";
import { runPricing } from "../pricing/run-pricing.ts";
import { runReports } from "../reports/run-reports.ts";
import { runBalanceWatch } from "../wallet/alerts/watch-balances.ts";
import { DELIVERIES_CHANNEL } from "../webhooks/settings.ts";
import { startWebhooks } from "../webhooks/start-webhooks.ts";
import { assertLocalAddress } from "./assert-local-address.ts";
import { followPrimary } from "./follow-primary.ts";
import { openAccounts } from "./open-accounts.ts";
import type { Context } from "./open-context.ts";
import { serveConsole } from "./serve-console.ts";
import { serveMetrics } from "./serve-metrics.ts";
import { saveServedAddresses } from "./served-addresses.ts";

export type Role = "all" | "api" | "worker";

export type Server = {
  address: string;
  /** Where the console is reached, if this process serves it. */
  consoleAddress: string | undefined;
  /** Finishes requests in flight, then stops listening. */
  stop(): Promise<void>;
};

/** How long requests and orders in flight can take to finish when the server stops. */
const DRAIN_TIMEOUT_MS = 10_000;

/** The steps of a start. Tests make them fail, and a process that is one of several replaces some. */
export type ServeSteps = {
  createMetrics: typeof createMetrics;
  listen: typeof listen;
  serveMetrics: typeof serveMetrics;
  serveConsole: typeof serveConsole;
  startWorker: typeof startWorker;
  startWebhooks: typeof startWebhooks;
};

/** What is open so far. */
type Opened = {
  app?: FastifyInstance;
  sharedLimits?: SharedLimits | undefined;
  clock?: Awaited<ReturnType<typeof startDatabaseClock>>;
  metricsApp?: FastifyInstance | undefined;
  consoleApp?: FastifyInstance | undefined;
  worker?: ReturnType<typeof startWorker>;
  webhooks?: ReturnType<typeof startWebhooks>;
  accounts?: ReturnType<typeof runAccountUpkeep>;
  reports?: ReturnType<typeof runReports>;
  pricing?: ReturnType<typeof runPricing>;
  rates?: ReturnType<typeof runRates>;
  alerts?: ReturnType<typeof runAlerts>;
  jobs?: ReturnType<typeof runJobs>;
  balances?: ReturnType<typeof runBalanceWatch>;
  velocity?: ReturnType<typeof runVelocityWatch>;
  catalog?: ReturnType<typeof runCatalogUpkeep>;
  deposits?: ReturnType<typeof runTestDeposits>;
};

/**
 * Starts the server. The context stays open when the server stops: its owner closes it. A step that fails closes what the
 * previous steps opened.
 */
export async function serve(
  context: Context,
  log: Log,
  role: Role,
  changedSteps: Partial<ServeSteps> = {},
  placer?: Placer,
): Promise<Server> {
  const steps = {
    createMetrics,
    listen,
    serveMetrics,
    serveConsole,
    startWorker,
    startWebhooks,
    ...changedSteps,
  };
  const state = { stopping: false, baseUrl: "" };
  const opened: Opened = {};
  const stop = async () => {
    state.stopping = true;
    await close(opened);
  };
  try {
    await open(context, log, role, steps, state, opened, placer);
  } catch (error) {
    await stop();
    throw error;
  }
  const consoleAddress = opened.consoleApp && consoleUrlOf(context.config);
  return { address: state.baseUrl, consoleAddress, stop };
}

async function open(
  context: Context,
  log: Log,
  role: Role,
  steps: ServeSteps,
  state: { stopping: boolean; baseUrl: string },
  opened: Opened,
  placer: Placer | undefined,
): Promise<void> {
  const { config } = context;
  if (role !== "api" && config.webhookLocalAddress !== undefined) {
    await assertLocalAddress("WEBHOOK_LOCAL_ADDRESS", config.webhookLocalAddress);
  }
  const metrics = steps.createMetrics();
  await followPrimary(context.db, role, metrics, log);
  state.baseUrl = config.publicUrl ?? `http://localhost:${config.port}`;
  const baseUrl = () => state.baseUrl;
  const accounts = { ...openAccounts(context), urls: urlsOf(config, state) };
  const isReady = async () => !state.stopping && (await answers(context));
  const sharedLimits = role === "worker" ? undefined : await openSharedLimits(context.db, log);
  opened.sharedLimits = sharedLimits;
  const app =
    sharedLimits === undefined
      ? bareApp((bare) => healthRoutes(bare, isReady))
      : await buildApp({
          ...context,
          log,
          metrics,
          baseUrl,
          trustedProxies: config.trustedProxies,
          rateLimits: config.rateLimits,
          rateLimiter: sharedLimits.rateLimiter,
          placer,
          depositInstructions: config.depositInstructions,
          webhooks: { egressIps: config.webhookEgressIps, allowNetworks: config.webhookAllowNetworks },
          dashboard: {
            accounts,
            publicUrl: config.publicUrl,
            sendsMail: config.smtpUrl !== undefined,
          },
          metricsArePublic: config.metricsPort !== 0 && config.metricsPort === config.port,
          isReady,
        });
  opened.app = app;
  await steps.listen(app, config);
  // A worker beside HTTP processes does not listen.
  const listening = app.server.address() as AddressInfo | null;
  if (listening) state.baseUrl = config.publicUrl ?? `http://localhost:${listening.port}`;
  opened.metricsApp = await steps.serveMetrics(config, metrics, log);
  const workClock = await startDatabaseClock(context.db, context.clock);
  opened.clock = workClock;
  if (role !== "worker")
    opened.consoleApp = await steps.serveConsole(context, log, metrics, { accounts, baseUrl, workClock });
  if (role !== "worker") {
    const served = opened.consoleApp ? { console: consoleUrlOf(config) } : {};
    await saveServedAddresses(context.db, { dashboard: state.baseUrl, ...served }, context.clock.now());
  }
  opened.alerts = runAlerts({ ...context, log, metrics, consoleUrl: consoleUrlOf(config), settings: config });
  if (role !== "api") startWork(context, workClock, log, metrics, steps, opened);
}

/** Everything that runs in the background. Several workers compare leases and delays, so all of them use the database's time. */
function startWork(
  { clock: machineClock, ...rest }: Context,
  clock: Clock,
  log: Log,
  metrics: Metrics,
  steps: ServeSteps,
  opened: Opened,
): void {
  const context = { ...rest, clock };
  const { config } = context;
  opened.worker = steps.startWorker(
    { ...context, log, metrics },
    {
      maxLoss: config.maxLoss,
      rateMaxAgeMs: config.pricing.rateMaxAgeMs,
    },
  );
  opened.webhooks = steps.startWebhooks({
    ...context,
    machineClock,
    log,
    metrics,
    allowNetworks: config.webhookAllowNetworks,
    localAddress: config.webhookLocalAddress,
    proxyUrl: config.webhookProxyUrl,
    mail: config.smtpUrl && { url: config.smtpUrl, from: config.mailFrom },
  });
  opened.accounts = runAccountUpkeep({ ...context, log });
  opened.reports = runReports({ ...context, log, rateMaxAgeMs: config.pricing.rateMaxAgeMs });
  const announceDeliveries = createAnnouncer(context.db, DELIVERIES_CHANNEL);
  opened.pricing = runPricing({ ...context, db: context.patientDb, log, settings: config.pricing });
  opened.rates = runRates({ ...context, log, ratesUrl: config.ratesUrl });
  opened.jobs = runJobs({
    ...{ ...context, db: context.patientDb, log, announceDeliveries },
    dualControl: config.dualControlAbove,
  });
  opened.balances = runBalanceWatch({ ...context, log });
  opened.velocity = runVelocityWatch({ ...context, log });
  opened.catalog = runCatalogUpkeep({ ...context, log });
  opened.deposits = runTestDeposits({ ...context, log, announceDeliveries });
}

/** The port is known once the server listens. */
const urlsOf = (config: Config, state: { baseUrl: string }): AccountDeps["urls"] => ({
  get dashboard() {
    return state.baseUrl;
  },
  console: consoleUrlOf(config),
});

async function close({
  worker,
  webhooks,
  accounts,
  balances,
  velocity,
  catalog,
  deposits,
  reports,
  pricing,
  rates,
  alerts,
  jobs,
  sharedLimits,
  clock,
  ...listeners
}: Opened): Promise<void> {
  const { metricsApp } = listeners;
  const apps = [listeners.app, listeners.consoleApp].filter((app) => app !== undefined);
  for (const app of apps) closeConnectionsFromNowOn(app);
  const forced = setTimeout(() => {
    for (const app of apps) app.server.closeAllConnections();
  }, DRAIN_TIMEOUT_MS);
  await Promise.all([
    ...apps.map((app) => app.close()),
    metricsApp?.close(),
    worker?.stop(DRAIN_TIMEOUT_MS),
    webhooks?.stop(DRAIN_TIMEOUT_MS),
    accounts?.stop(),
    reports?.stop(),
    pricing?.stop(),
    rates?.stop(),
    alerts?.stop(),
    jobs?.stop(DRAIN_TIMEOUT_MS),
    balances?.stop(),
    velocity?.stop(),
    catalog?.stop(),
    deposits?.stop(),
    sharedLimits?.stop(),
  ]);
  await clock?.stop();
  clearTimeout(forced);
}

/** A primary without a recent confirmation is not queried, so it is not ready. */
async function answers({ db }: Context): Promise<boolean> {
  try {
    await db.rows(sql`select 1`);
    return true;
  } catch {
    return false;
  }
}

/** A keep-alive connection would delay the stop until it times out: its next response closes it. */
const closeConnectionsFromNowOn = (app: FastifyInstance): void => {
  app.server.prependListener("request", (_request, reply) => {
    reply.setHeader("connection", "close");
  });
};

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EADDRINUSE")
      throw new Error(`PORT ${port} is in use; stop the other program or set PORT to a different port`);
    if (code === "EACCES")
      throw new Error(`PORT ${port} needs more privileges; set PORT to a port above 1023`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new Error(`HOST ${host} is not an address of this machine`);
    throw error;
  }
}
