import type { FastifyRequest } from "fastify";
import type { OWN_ACCOUNT } from "../access/site.ts";
import type { AccountDeps } from "../accounts/account-deps.ts";
import type { UserPermission, UserRole } from "../accounts/permissions.ts";
import type { Session } from "../accounts/sessions/find-session.ts";
import type { CatalogFinder } from "../catalog/filters/catalog-finder.ts";
import type { Db } from "../db/database.ts";
import type { DepositInstructions } from "../deposits/instructions.ts";
import type { Tenant } from "../http/caller.ts";
import type { ServerSecrets } from "../keys/server-secrets.ts";
import type { Actor } from "../lib/actor.ts";
import type { Clock } from "../lib/clock.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import type { Log } from "../lib/log.ts";
import type { PlaceOrderInput, PlaceOrderResult } from "../orders/place-order.ts";
import type { CodeVault } from "../vault/code-vault.ts";
import type { Keyring } from "../vault/keyring.ts";
import type { PageContext } from "../web/pages/define-page.ts";
import { environmentOf, here as hereOf } from "../web/pages/here.ts";
import type { Face } from "../web/pages/serve-face.ts";
import type { WebhookSettings } from "../webhooks/settings.ts";

/** Who is signed in to the dashboard, as the database had it when this request began. */
export type DashboardSession = {
  account: Session;
  /** In every form of the session. */
  formToken: string;
  resellerId: string;
  role: UserRole;
};

export type DashboardPermission = UserPermission | typeof OWN_ACCOUNT;
export type DashboardFace = Face<DashboardSession, DashboardPermission>;
export type DashboardContext = PageContext<DashboardSession>;

/** What the sections of the dashboard work with. */
export type DashboardDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  secrets: ServerSecrets;
  keyring: Keyring;
  codeVault: CodeVault;
  cursors: CursorCodec;
  finder: CatalogFinder;
  webhooks: WebhookSettings;
  baseUrl: () => string;
  /** How resellers pay for deposits. */
  depositInstructions?: DepositInstructions;
  announceDeliveries: () => void;
  /** Places an order in the sandbox for a person. An order in the live environment is refused. */
  placeTestOrder: (tenant: Tenant, actor: Actor, input: PlaceOrderInput) => Promise<PlaceOrderResult>;
  accounts: AccountDeps;
  /** Whether invitations reach people by mail. Otherwise the link is shown once to the inviter. */
  sendsMail: boolean;
  /** The address that the operator set, if any. Its scheme decides the name of the cookie. */
  publicUrl: string | undefined;
  /** Where a request came from, by the proxies that are trusted. */
  addressOf: (request: FastifyRequest) => string;
};

export const BASE = "/dashboard";

export { environmentOf };

type Placed = Pick<PageContext<unknown>, "base" | "query">;

/** Where a path of the dashboard is served for this request: below /dashboard, or in the console's view of a reseller. */
export const placed = ({ base }: Pick<Placed, "base">, path: string): string =>
  `${base}${path.slice(BASE.length)}`;

/** A path of the dashboard, such as `${BASE}/orders`, that stays in the environment of this page. */
export const here = (ctx: Placed, path: string, query?: Parameters<typeof hereOf>[2]): string =>
  hereOf(ctx, placed(ctx, path), query);

/** Whose data this page is about. */
export const tenantOf = (ctx: DashboardContext): Tenant => ({
  resellerId: ctx.session.resellerId,
  environment: environmentOf(ctx),
});

/** The person of this session, as what they do records them. */
export const actorOf = (ctx: DashboardContext): Actor => ({
  kind: "user",
  id: ctx.session.account.accountId,
});
