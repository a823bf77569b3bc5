import type { FastifyInstance } from "fastify";
import type { AccountDeps } from "./accounts/account-deps.ts";
import { changeRoutes } from "./catalog/changes/routes.ts";
import { createCatalogFinder } from "./catalog/filters/catalog-finder.ts";
import { createProductReader } from "./catalog/prices/priced-products.ts";
import { createRenderedReplies, FILTERED_MAX_BYTES } from "./catalog/rendered-replies.ts";
import { catalogRoutes } from "./catalog/routes.ts";
import { openDashboard } from "./dashboard/open-dashboard.ts";
import type { DashboardDeps } from "./dashboard/session.ts";
import { createAnnouncer } from "./db/announce.ts";
import type { Db } from "./db/database.ts";
import { isDatabaseUnavailable } from "./db/database-errors.ts";
import type { DepositInstructions } from "./deposits/instructions.ts";
import { depositRoutes } from "./deposits/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { fulfilmentRoutes } from "./fulfilment/reveal/routes.ts";
import { ORDERS_CHANNEL } from "./fulfilment/run-fulfilment.ts";
import { sealingRoutes } from "./fulfilment/sealing/routes.ts";
import { NO_SNIFF } from "./http/bare-app.ts";
import { addressFinder } from "./http/client-address.ts";
import { collectDirectRoutes } from "./http/direct/direct-routes.ts";
import { serveDirectly } from "./http/direct/serve-directly.ts";
import { healthRoutes } from "./http/health.ts";
import { type Metrics, metricsRoute } from "./http/metrics.ts";
import { namedSchemas } from "./http/named-schema.ts";
import { answerUnknownPaths } from "./http/not-found.ts";
import { observeRequests } from "./http/observe-requests.ts";
import { collectApi, type OpenApiDocument, serveApi } from "./http/openapi/openapi.ts";
import { createRateLimiter, type RateLimiter, type RateLimits } from "./http/rate-limit.ts";
import { readBodiesStrictly } from "./http/read-body.ts";
import { answerWithProblems, type ProblemDeps } from "./http/send-problem.ts";
import { createFastify } from "./http/server/create-fastify.ts";
import { closeIfTooLarge } from "./http/unread-body.ts";
import { createUnroutable, findBadHost } from "./http/unroutable.ts";
import { validateRequests } from "./http/validate-requests.ts";
import { createAuthenticate } from "./keys/authenticate.ts";
import { guardRequests, showServerLimits } from "./keys/guard-requests.ts";
import { createKeyAuthenticator } from "./keys/key-authenticator.ts";
import { digestKey } from "./keys/key-format.ts";
import { createUseRecorder } from "./keys/record-use.ts";
import { meRoutes } from "./keys/routes.ts";
import type { ServerSecrets } from "./keys/server-secrets.ts";
import type { Clock } from "./lib/clock.ts";
import { createCursorCodec } from "./lib/cursor.ts";
import type { IpRange } from "./lib/ip.ts";
import type { Log } from "./lib/log.ts";
import { Problem } from "./lib/problem.ts";
import { bulkRoutes } from "./orders/bulk/bulk-routes.ts";
import type { PlaceOrdersDeps } from "./orders/bulk/place-orders.ts";
import { CHECK_TIMEOUT_MS } from "./orders/check/check-account.ts";
import { checkRoutes } from "./orders/check/routes.ts";
import { type Placer, sharePlacements } from "./orders/forward/share-placements.ts";
import type { PlaceOrderDeps } from "./orders/place-order.ts";
import { placeTestOrder } from "./orders/place-test-order.ts";
import { createPlacementQueues, type PlacementLimits } from "./orders/placing/placement-batch.ts";
import { orderRoutes } from "./orders/routes.ts";
import { openRequestLog } from "./requests/open-request-log.ts";
import type { RequestLogLimits } from "./requests/request-log.ts";
import { requestRoutes } from "./requests/routes.ts";
import { findForcedAnswer } from "./sandbox/read-scenario.ts";
import { createOpenSuppliers, type OpenSuppliers } from "./suppliers/open-suppliers.ts";
import { createShortageFinder, type ShortageFinder } from "./suppliers/stock/stock-levels.ts";
import type { CodeVault } from "./vault/code-vault.ts";
import type { Keyring } from "./vault/keyring.ts";
import { walletAlertRoutes } from "./wallet/alerts/routes.ts";
import { walletRoutes } from "./wallet/routes.ts";
import { serveReference } from "./web/docs/api-reference.ts";
import { errorPages } from "./web/docs/error-pages.ts";
import { serveGuides } from "./web/docs/guides.ts";
import { serveIcons } from "./web/docs/icons.ts";
import { serveLanding } from "./web/docs/landing.ts";
import { serveSdk } from "./web/docs/sdk-package.ts";
import type { RegisteredPage } from "./web/pages/define-page.ts";
import { describeDeliveries } from "./webhooks/delivery/describe-deliveries.ts";
import { webhookRoutes } from "./webhooks/routes.ts";
import type { WebhookSettings } from "./webhooks/settings.ts";
import { DELIVERIES_CHANNEL } from "./webhooks/settings.ts";

export type AppDeps = {
  db: Db;
  secrets: ServerSecrets;
  keyring: Keyring;
  codeVault: CodeVault;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  baseUrl: () => string;
  trustedProxies: readonly IpRange[];
  rateLimits: RateLimits;
  /** Shared with other processes. Without it the limits are those of this app alone. */
  rateLimiter?: RateLimiter;
  webhooks: WebhookSettings;
  /** How resellers pay for deposits. */
  depositInstructions?: DepositInstructions;
  /** Where this process places orders together with others of its machine. */
  placer?: Placer | undefined;
  /** Non-default limits, for tests of what happens at them. */
  placementLimits?: Partial<PlacementLimits>;
  /** Replaces the stock check, for tests of products that sell out after they were ordered. */
  findShortage?: ShortageFinder;
  /** Limits other than the usual ones, or none of it, for tests. */
  requestLog?: Partial<RequestLogLimits> | "off";
  /** What the dashboard needs beside the rest. Without it there is no dashboard. */
  dashboard?: { accounts: AccountDeps; publicUrl: string | undefined; sendsMail: boolean };
  metricsArePublic: boolean;
  isReady: () => Promise<boolean>;
};

export type App = FastifyInstance & {
  openApi: () => OpenApiDocument;
  /** Every page and form of the dashboard. */
  dashboardPages: readonly RegisteredPage[];
};

/**
 * The whole HTTP side: one line for each thing that applies to every request, then one for each folder of routes.
 */
export async function buildApp(
  deps: AppDeps,
  addRoutes: (app: FastifyInstance) => void = () => {},
): Promise<App> {
  const problems: ProblemDeps = { baseUrl: deps.baseUrl, translate: translateDatabaseError };
  const unroutable = createUnroutable(problems);
  const app = createFastify(deps, problems, unroutable);
  unroutable.watch(app.server);

  const observeUnrouted = observeRequests(app, deps.metrics.requestLatencies, deps.log);
  const findUnknownPath = answerUnknownPaths(app, problems);
  // One hook for everything that applies to every request, because each further hook costs every request.
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    reply.header(...NO_SNIFF);
    if (request.is404) {
      observeUnrouted(request, reply);
      if (request.url.startsWith("/v1/")) showServerLimits(guardDeps, reply);
    }
    if (request.method === "GET" || request.method === "HEAD") closeIfTooLarge(request, reply);
    done(findBadHost(request) ?? findUnknownPath(request));
  });
  answerWithProblems(app, problems);
  readBodiesStrictly(app);
  validateRequests(app, namedSchemas);

  const useRecorder = createUseRecorder(deps.db, deps.clock, (err) =>
    deps.log.warn({ err }, "failed to record the use of a key"),
  );
  app.addHook("onClose", () => useRecorder.flush());
  const guardDeps = {
    authenticators: [
      createKeyAuthenticator(
        createAuthenticate(deps.db, deps.secrets.pepper, deps.clock),
        useRecorder,
        (key) => digestKey(deps.secrets.pepper, key),
      ),
    ],
    rateLimiter: deps.rateLimiter ?? createRateLimiter(() => performance.now()),
    rateLimits: deps.rateLimits,
    trustedProxies: deps.trustedProxies,
    findForcedAnswer,
  };
  guardRequests(app, guardDeps);
  if (deps.requestLog !== "off")
    openRequestLog(app, { ...deps, registry: deps.metrics.registry, limits: deps.requestLog });

  for (const schema of namedSchemas.values()) app.addSchema(schema);
  const openApi = collectApi(app, namedSchemas, describeDeliveries());
  // Behind everything that adds hooks to routes.
  const directRoutes = collectDirectRoutes(app, namedSchemas);
  const cursors = createCursorCodec(deps.secrets.cursorKey);
  changeRoutes(app, { db: deps.db, cursors });
  const finder = createCatalogFinder(deps.db);
  catalogRoutes(app, {
    db: deps.db,
    cursors,
    finder,
    renderedReplies: createRenderedReplies(),
    filteredReplies: createRenderedReplies(FILTERED_MAX_BYTES),
  });
  meRoutes(app, deps);
  walletRoutes(app, { ...deps, cursors });
  walletAlertRoutes(app, deps);
  const announceOrders = createAnnouncer(deps.db, ORDERS_CHANNEL);
  const queues = createPlacementQueues(deps.db, deps.clock, deps.placementLimits);
  const { close: stopSharing, ...shared } = await sharePlacements(
    deps.placer,
    queues,
    announceOrders,
    deps.log,
  );
  app.addHook("onClose", stopSharing);
  const placing: PlaceOrdersDeps = {
    ...deps,
    ...shared,
    readProducts: createProductReader(deps.db),
    findShortage: deps.findShortage ?? createShortageFinder(deps.db, deps.clock),
    underWay: new Map(),
    onPlaced: announceOrders,
  };
  const announceDeliveries = createAnnouncer(deps.db, DELIVERIES_CHANNEL);
  orderRoutes(app, { ...deps, ...placing, cursors });
  bulkRoutes(app, { ...placing, problems });
  checkRoutes(app, { ...placing, db: deps.db, openSupplier: openCheckers(app, deps) });
  depositRoutes(app, { ...deps, cursors, depositInstructions: deps.depositInstructions ?? {} });
  fulfilmentRoutes(app, deps);
  sealingRoutes(app, deps);
  webhookRoutes(app, { ...deps, cursors, announceDeliveries });
  eventRoutes(app, { db: deps.db, cursors });
  requestRoutes(app, { db: deps.db, cursors });
  const dashboardPages = mountDashboard(app, deps, { placing, cursors, finder, announceDeliveries });
  addRoutes(app);

  serveApi(app, openApi, deps.baseUrl);
  serveLanding(app, { ...deps, hasDashboard: deps.dashboard !== undefined });
  serveReference(app);
  serveGuides(app, deps.baseUrl);
  errorPages(app);
  serveIcons(app);
  serveSdk(app);
  healthRoutes(app, deps.isReady);
  if (deps.metricsArePublic) metricsRoute(app, deps.metrics);
  serveDirectly(app.server, {
    routes: directRoutes,
    problems,
    unroutable,
    clock: deps.clock,
    log: deps.log,
  });
  return Object.assign(app, { openApi, dashboardPages });
}

/** The suppliers that this process asks about accounts. It buys nothing from them. */
function openCheckers(app: FastifyInstance, { db, keyring, log }: AppDeps): OpenSuppliers["open"] {
  const suppliers = createOpenSuppliers({
    db,
    keyring,
    timeoutMs: CHECK_TIMEOUT_MS,
    onUnusable: (reason) => log.warn({ reason }, "a supplier cannot be asked about accounts"),
  });
  app.addHook("onClose", () => suppliers.close());
  return suppliers.open;
}

function mountDashboard(
  app: FastifyInstance,
  deps: AppDeps,
  {
    placing,
    ...shared
  }: Pick<DashboardDeps, "cursors" | "finder" | "announceDeliveries"> & { placing: PlaceOrderDeps },
): readonly RegisteredPage[] {
  if (!deps.dashboard) return [];
  return openDashboard(app, {
    ...deps,
    ...deps.dashboard,
    ...shared,
    placeTestOrder: (tenant, actor, input) => placeTestOrder(placing, tenant, actor, input),
    addressOf: addressFinder(deps.trustedProxies),
  });
}

const translateDatabaseError = (error: unknown): Problem | undefined =>
  isDatabaseUnavailable(error)
    ? new Problem("service_unavailable", "The service cannot reach its database at the moment.", {
        headers: { "retry-after": "1" },
        cause: error,
      })
    : undefined;
