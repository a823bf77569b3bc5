import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from "fastify";
import { type App, buildApp } from "../../src/app.ts";
import type { Db } from "../../src/db/database.ts";
import { SCOPES } from "../../src/http/caller.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import type { RateLimits } from "../../src/http/rate-limit.ts";
import { createKey } from "../../src/keys/create-key.ts";
import { loadServerSecrets, type ServerSecrets } from "../../src/keys/server-secrets.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { type IpRange, parseIpRange } from "../../src/lib/ip.ts";
import { lazily } from "../../src/lib/lazily.ts";
import { createLog } from "../../src/lib/log.ts";
import { secret } from "../../src/lib/secret.ts";
import type { Placer } from "../../src/orders/forward/share-placements.ts";
import type { PlacementLimits } from "../../src/orders/placing/placement-batch.ts";
import type { RequestLogLimits } from "../../src/requests/request-log.ts";
import { createReseller } from "../../src/resellers/create-reseller.ts";
import type { ResellerRow } from "../../src/resellers/queries.ts";
import type { ShortageFinder } from "../../src/suppliers/stock/stock-levels.ts";
import { type CodeVault, createCodeVault } from "../../src/vault/code-vault.ts";
import { fixedKeyring, type Keyring } from "../../src/vault/keyring.ts";
import type { WebhookSettings } from "../../src/webhooks/settings.ts";
import { createTestDatabase } from "../database/test-database.ts";
import { type CheckReply, createReplyChecker } from "./check-reply.ts";
import { testAccounts } from "./test-accounts.ts";
import { TEST_MASTER_KEY, TEST_WEBHOOKS } from "./test-settings.ts";

export type TestApp = {
  app: App;
  db: Db;
  connectionString: string;
  secrets: ServerSecrets;
  keyring: Keyring;
  codeVault: CodeVault;
  clock: Clock;
  /** Everything that was logged. */
  logged: () => string;
  /** One request through the whole app. The response is checked against /openapi.json. */
  call: (method: string, url: string, options?: CallOptions) => Promise<LightMyRequestResponse>;
  addReseller: (changes?: { name?: string; currency?: string; priceList?: string }) => Promise<ResellerRow>;
  addKey: (resellerId: string, changes?: KeyChanges) => Promise<{ id: string; key: string }>;
  close(): Promise<void>;
};

export type CallOptions = {
  key?: string;
  headers?: Record<string, string>;
  body?: unknown;
  remoteAddress?: string;
};
type KeyChanges = { env?: "live" | "test"; scopes?: string[]; allowedIps?: string[]; expiresAt?: Date };

export type TestAppOptions = {
  clock?: Clock;
  rateLimits?: RateLimits;
  trustedProxies?: string[];
  placementLimits?: Partial<PlacementLimits>;
  findShortage?: ShortageFinder;
  /** It places orders together with another app. */
  placer?: Placer;
  webhooks?: Partial<WebhookSettings>;
  /** Another app whose database, and with it whose secrets, this one shares: a second process of one installation. */
  beside?: Pick<TestApp, "db" | "connectionString">;
  /** The app's own database connection, if it differs from the test's. */
  connect?: (connectionString: string) => Promise<Db>;
  /** The request log, which is off in tests of other things. */
  requestLog?: Partial<RequestLogLimits>;
  /** Where a browser reaches it, when it listens. Cookies then have the names of plain http. */
  url?: string;
  addRoutes?: (app: FastifyInstance) => void;
};

/** The real app on its own database. */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const clock = options.clock ?? systemClock;
  const { db, connectionString, drop } = options.beside
    ? { ...options.beside, drop: async () => {} }
    : await createTestDatabase();
  const appDb = (await options.connect?.(connectionString)) ?? db;
  const secrets = await loadServerSecrets(db, [secret(TEST_MASTER_KEY)]);
  const keyring = fixedKeyring([secret(TEST_MASTER_KEY)]);
  const codeVault = createCodeVault(keyring);
  const lines: string[] = [];
  const app = await buildApp(
    {
      db: appDb,
      secrets,
      keyring,
      codeVault,
      clock,
      log: createLog("debug", { write: (line) => void lines.push(line) }),
      metrics: createMetrics(),
      baseUrl: () => options.url ?? "https://api.scrip.example",
      trustedProxies: (options.trustedProxies ?? []).map(toRange),
      rateLimits: options.rateLimits ?? { orders: 0, reads: 0 },
      placementLimits: options.placementLimits ?? {},
      placer: options.placer,
      ...(options.findShortage ? { findShortage: options.findShortage } : {}),
      webhooks: { ...TEST_WEBHOOKS, ...options.webhooks },
      requestLog: options.requestLog ?? "off",
      dashboard: {
        accounts: testAccounts({ db: appDb, clock, keyring, secrets }, options.url),
        publicUrl: options.url === undefined ? "https://api.scrip.example" : undefined,
        sendsMail: false,
      },
      metricsArePublic: true,
      isReady: async () => true,
    },
    options.addRoutes,
  );
  await app.ready();
  const checkReply = lazily(() => (options.addRoutes ? createReplyChecker(app.openApi()) : checkUsual(app)));

  return {
    app,
    db,
    connectionString,
    secrets,
    keyring,
    codeVault,
    clock,
    logged: () => lines.join(""),
    async call(method, url, callOptions = {}) {
      const reply = await app.inject(toInject(method, url, callOptions));
      checkReply(method, url, reply);
      return reply;
    },
    addReseller: (changes) =>
      createReseller(db, clock, {
        name: "Test Reseller",
        currency: "USD",
        email: "owner@reseller.example",
        ...changes,
      }),
    addKey: (resellerId, { env = "live", scopes = [...SCOPES], allowedIps = [], expiresAt } = {}) =>
      createKey(
        { db, clock, pepper: secrets.pepper },
        { resellerId, environment: env, name: "", scopes, allowedIps, expiresAt },
      ),
    async close() {
      await app.close();
      if (appDb !== db) await appDb.close();
      await drop();
    },
  };
}

/** Apps without additional routes have the same document. To write it again takes a tenth of the time of an app. */
function checkUsual(app: App): CheckReply {
  usualChecker ??= createReplyChecker(app.openApi());
  return usualChecker;
}
let usualChecker: CheckReply | undefined;

function toInject(
  method: string,
  url: string,
  { key, headers, body, remoteAddress }: CallOptions,
): InjectOptions {
  return {
    method: method as "GET",
    url,
    headers: { ...(key === undefined ? {} : { "x-api-key": key }), ...headers },
    ...(body === undefined ? {} : { payload: body as string }),
    ...(remoteAddress === undefined ? {} : { remoteAddress }),
  };
}

function toRange(text: string): IpRange {
  const range = parseIpRange(text);
  if (!range) throw new Error(`${text} is not a range`);
  return range;
}
