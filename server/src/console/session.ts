import type { FastifyRequest } from "fastify";
import type { OWN_ACCOUNT } from "../access/site.ts";
import type { AccountDeps } from "../accounts/account-deps.ts";
import { isPermitted, type StaffPermission, type StaffRole } from "../accounts/permissions.ts";
import { Refusal } from "../accounts/refusal.ts";
import type { Session } from "../accounts/sessions/find-session.ts";
import { requireFreshProof } from "../accounts/sessions/session-life.ts";
import type { By } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { SupplierCalls } from "../fulfilment/supplier-calls.ts";
import type { ServerSecrets } from "../keys/server-secrets.ts";
import type { Actor } from "../lib/actor.ts";
import type { Clock } from "../lib/clock.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import type { Log } from "../lib/log.ts";
import type { AmountLimits } from "../lib/money.ts";
import type { PricingConfig } from "../lib/settings/pricing-config.ts";
import type { CodeVault } from "../vault/code-vault.ts";
import type { Keyring } from "../vault/keyring.ts";
import type { PageContext } from "../web/pages/define-page.ts";
import type { Face } from "../web/pages/serve-face.ts";
import type { WebhookSettings } from "../webhooks/settings.ts";

/** Which member of the staff is signed in to the console, as the database had it when this request began. */
export type ConsoleSession = {
  account: Session;
  /** In every form of the session. */
  formToken: string;
  role: StaffRole;
};

export type ConsolePermission = StaffPermission | typeof OWN_ACCOUNT;
export type ConsoleFace = Face<ConsoleSession, ConsolePermission>;
export type ConsoleContext = PageContext<ConsoleSession>;

/** What the sections of the console work with. */
export type ConsoleDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  secrets: ServerSecrets;
  keyring: Keyring;
  codeVault: CodeVault;
  cursors: CursorCodec;
  webhooks: WebhookSettings;
  accounts: AccountDeps;
  /** Whether invitations reach people by mail. Otherwise the link is shown once to the inviter. */
  sendsMail: boolean;
  /** Above these amounts a movement of money takes two people. Undefined takes one for all. */
  dualControl: AmountLimits | undefined;
  /** How prices are worked out. */
  pricing: PricingConfig["pricing"];
  /** The address of the console that the operator set, if any. Its scheme decides the name of the cookie. */
  consoleUrl: string | undefined;
  /** The address of the API, for what its pages say to resellers. */
  baseUrl: () => string;
  /** Where a request came from, by the proxies that are trusted. */
  addressOf: (request: FastifyRequest) => string;
  /** Calls suppliers, for look-ups by a person. */
  supplierCalls: SupplierCalls;
  /** Wakes the workers that fulfil orders. */
  announceOrders: () => void;
  /** Wakes the workers that send deliveries. */
  announceDeliveries: () => void;
};

/** The member of the staff of this session, as what they do records them. */
export const actorOf = (ctx: ConsoleContext): Actor & { kind: "staff" } => ({
  kind: "staff",
  id: ctx.session.account.accountId,
});

/** Who does something, and from where, for the activity log. */
export const byOf = (ctx: ConsoleContext): By => ({ actor: actorOf(ctx), address: ctx.address });

/** Who does something that needs fresh proof. Without it the face asks for it and sends the form on. */
export function provedBy(ctx: ConsoleContext): By {
  requireFreshProof(ctx.session.account, ctx.now);
  return byOf(ctx);
}

/** Whether the proof is fresh, for a form with secrets: it is not kept in a page while the person gives proof. */
export function isProved(ctx: ConsoleContext): boolean {
  try {
    requireFreshProof(ctx.session.account, ctx.now);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Whether this person may do that, for what a page offers. The page or form itself is guarded by its own permission. */
export const may = ({ session }: Pick<ConsoleContext, "session">, permission: StaffPermission): boolean =>
  isPermitted({ kind: "staff", role: session.role }, permission);
