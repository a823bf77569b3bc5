import sql from "sql-template-tag";
import { invitePerson } from "../../src/accounts/people/invite-person.ts";
import type { UserRole } from "../../src/accounts/permissions.ts";
import type { Db } from "../../src/db/database.ts";
import { requestDeposit } from "../../src/deposits/request-deposit.ts";
import type { Tenant } from "../../src/http/caller.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { addLoggedRequest } from "../builders/logged-requests.ts";
import { newId } from "../builders/new-id.ts";
import { addDelivery, addEndpoint, addEvent } from "../builders/webhook-builders.ts";
import type { openDashboardDesk } from "../people/dashboard-desk.ts";
import { COMMAND } from "../people/people-desk.ts";

/** The objects of one reseller that pages are about. A section with objects adds its own here. */
export type DashboardFixtures = {
  personId: string;
  keyId: string;
  orderId: string;
  webhookId: string;
  deliveryId: string;
  eventId: string;
  requestId: string;
  depositId: string;
};

export type MatrixRow = {
  /** Who may: `public` without a session, `all` with any, else the roles. */
  roles: "public" | "all" | readonly UserRole[];
  /** The ids in the address, by their names. Those of another reseller must be 404. */
  ids?: (fixtures: DashboardFixtures) => Readonly<Record<string, string>>;
  /** Fields that the verb refuses or that change nothing that other rows need. */
  fields?: Readonly<Record<string, string>>;
  /** The form ends the session that sends it, so it is not sent for each role. */
  endsSession?: boolean;
};

const OWNER = ["owner"] as const;
const DEVELOPERS = ["owner", "developer"] as const;
const FINANCE = ["owner", "finance"] as const;
const SUPPORT = ["owner", "support"] as const;
const order = ({ orderId }: DashboardFixtures) => ({ id: orderId });
const webhook = ({ webhookId }: DashboardFixtures) => ({ id: webhookId });
const deposit = ({ depositId }: DashboardFixtures) => ({ id: depositId });
const delivery = ({ deliveryId }: DashboardFixtures) => ({ id: deliveryId });
const event = ({ eventId }: DashboardFixtures) => ({ id: eventId });
const logged = ({ requestId }: DashboardFixtures) => ({ id: requestId });
const apiKey = ({ keyId }: DashboardFixtures) => ({ id: keyId });
const person = ({ personId }: DashboardFixtures) => ({ id: personId });

/** Every page and form of the dashboard. The test fails for one that is not here. */
export const MATRIX: Readonly<Record<string, MatrixRow>> = {
  // sign-in
  "GET /dashboard/sign-in": { roles: "public" },
  "POST /dashboard/sign-in": { roles: "public" },
  "POST /dashboard/sign-in/passkey-options": { roles: "public" },
  "POST /dashboard/sign-in/passkey": { roles: "public" },
  "POST /dashboard/sign-in/code": { roles: "public" },
  "GET /dashboard/accept": { roles: "public" },
  "POST /dashboard/accept": { roles: "public" },
  "GET /dashboard/reset": { roles: "public" },
  "POST /dashboard/reset": { roles: "public" },
  "POST /dashboard/reset/request": { roles: "public" },
  "GET /dashboard/enter": { roles: "public" },
  "POST /dashboard/theme": { roles: "public" },
  "GET /dashboard/confirm": { roles: "all" },
  "POST /dashboard/confirm": { roles: "all" },
  "POST /dashboard/confirm/passkey-options": { roles: "all" },
  "POST /dashboard/confirm/passkey": { roles: "all" },
  "GET /dashboard/add-factor": { roles: "all" },
  "POST /dashboard/sign-out": { roles: "all", endsSession: true },
  // home
  "GET /dashboard": { roles: "all" },
  // wallet
  "GET /dashboard/wallet": { roles: "all" },
  "GET /dashboard/wallet/alert": { roles: FINANCE },
  "POST /dashboard/wallet/alert": { roles: FINANCE },
  "GET /dashboard/wallet/statement": { roles: "all" },
  "GET /dashboard/wallet/entries.csv": { roles: FINANCE },
  "GET /dashboard/wallet/statement.csv": { roles: FINANCE },
  // deposits
  "GET /dashboard/deposits": { roles: "all" },
  "POST /dashboard/deposits": { roles: FINANCE, fields: { amount: "100.00" } },
  "GET /dashboard/deposits/:id": { roles: "all", ids: deposit },
  // keys
  "GET /dashboard/keys": { roles: "all" },
  "POST /dashboard/keys": { roles: DEVELOPERS },
  "GET /dashboard/keys/:id": { roles: "all", ids: apiKey },
  "POST /dashboard/keys/:id": {
    roles: DEVELOPERS,
    ids: apiKey,
    fields: { name: "shop", scopes: "orders:read" },
  },
  "GET /dashboard/keys/:id/roll": { roles: DEVELOPERS, ids: apiKey },
  "POST /dashboard/keys/:id/roll": { roles: DEVELOPERS, ids: apiKey, fields: { grace: "1" } },
  "GET /dashboard/keys/:id/revoke": { roles: DEVELOPERS, ids: apiKey },
  "POST /dashboard/keys/:id/revoke": { roles: DEVELOPERS, ids: apiKey },
  "POST /dashboard/keys/:id/unfreeze": { roles: DEVELOPERS, ids: apiKey },
  // security
  "GET /dashboard/security": { roles: "all" },
  "POST /dashboard/security/sessions/end": { roles: "all" },
  "GET /dashboard/security/password": { roles: "all" },
  "POST /dashboard/security/password": { roles: "all" },
  "GET /dashboard/security/totp": { roles: "all" },
  "POST /dashboard/security/totp": { roles: "all" },
  "POST /dashboard/security/totp/confirm": { roles: "all" },
  "POST /dashboard/security/totp/remove": { roles: "all" },
  "POST /dashboard/security/recovery-codes": { roles: "all" },
  "GET /dashboard/security/passkey": { roles: "all" },
  "POST /dashboard/security/passkey/options": { roles: "all" },
  "POST /dashboard/security/passkey": { roles: "all" },
  "POST /dashboard/security/passkey/remove": { roles: "all" },
  // team
  "GET /dashboard/team": { roles: "all" },
  "POST /dashboard/team": { roles: OWNER },
  "POST /dashboard/team/require-factor": { roles: OWNER },
  "GET /dashboard/team/:id": { roles: OWNER, ids: person },
  "POST /dashboard/team/:id/role": { roles: OWNER, ids: person, fields: { role: "viewer" } },
  "POST /dashboard/team/:id/reset-factor": { roles: OWNER, ids: person },
  "POST /dashboard/team/:id/invite": { roles: OWNER, ids: person },
  "POST /dashboard/team/:id/remove": { roles: OWNER, ids: person },
  // encryption
  "GET /dashboard/encryption": { roles: OWNER },
  "POST /dashboard/encryption": { roles: OWNER },
  "POST /dashboard/encryption/remove": { roles: OWNER },
  // settings
  "GET /dashboard/settings": { roles: OWNER },
  "POST /dashboard/settings": { roles: OWNER },
  // activity
  "GET /dashboard/activity": { roles: "all" },
  "GET /dashboard/activity.csv": { roles: "all" },
  // catalog: products are the same for all resellers
  "GET /dashboard/catalog": { roles: "all" },
  "GET /dashboard/catalog.csv": { roles: "all" },
  "GET /dashboard/catalog/:id": { roles: "all" },
  "GET /dashboard/catalog/:id/try": { roles: "all" },
  "POST /dashboard/catalog/:id/try": { roles: DEVELOPERS },
  // orders
  "GET /dashboard/orders": { roles: "all" },
  "GET /dashboard/orders.csv": { roles: "all" },
  "GET /dashboard/orders/:id": { roles: "all", ids: order },
  "GET /dashboard/orders/:id/reveal": { roles: "all", ids: order },
  "GET /dashboard/orders/:id/codes.csv": { roles: "all", ids: order },
  "POST /dashboard/orders/:id/reveal": { roles: SUPPORT, ids: order },
  "POST /dashboard/orders/:id/codes.csv": { roles: SUPPORT, ids: order },
  // webhooks
  "GET /dashboard/webhooks": { roles: "all" },
  "GET /dashboard/webhooks/new": { roles: DEVELOPERS },
  "POST /dashboard/webhooks": { roles: DEVELOPERS },
  "GET /dashboard/webhooks/:id": { roles: "all", ids: webhook },
  "GET /dashboard/webhooks/:id/recovery": { roles: "all", ids: webhook },
  "GET /dashboard/webhooks/:id/edit": { roles: DEVELOPERS, ids: webhook },
  "GET /dashboard/webhooks/:id/rotate": { roles: DEVELOPERS, ids: webhook },
  "GET /dashboard/webhooks/:id/recover": { roles: DEVELOPERS, ids: webhook },
  "GET /dashboard/webhooks/:id/remove": { roles: DEVELOPERS, ids: webhook },
  "POST /dashboard/webhooks/:id": { roles: DEVELOPERS, ids: webhook },
  "POST /dashboard/webhooks/:id/state": { roles: DEVELOPERS, ids: webhook },
  "POST /dashboard/webhooks/:id/test": { roles: DEVELOPERS, ids: webhook },
  "POST /dashboard/webhooks/:id/rotate": { roles: DEVELOPERS, ids: webhook },
  "POST /dashboard/webhooks/:id/recover": { roles: DEVELOPERS, ids: webhook },
  "POST /dashboard/webhooks/:id/redeliver": { roles: DEVELOPERS, ids: webhook },
  "POST /dashboard/webhooks/:id/remove": { roles: DEVELOPERS, ids: webhook },
  "GET /dashboard/deliveries/:id": { roles: "all", ids: delivery },
  "POST /dashboard/deliveries/:id/redeliver": { roles: DEVELOPERS, ids: delivery },
  // requests and events
  "GET /dashboard/requests": { roles: "all" },
  "GET /dashboard/requests/:id": { roles: "all", ids: logged },
  "GET /dashboard/events": { roles: "all" },
  "GET /dashboard/events/:id": { roles: "all", ids: event },
};

type Desk = Awaited<ReturnType<typeof openDashboardDesk>>;

/** Makes the objects of a reseller, each by its verb. */
export async function makeFixtures(
  desk: Pick<Desk, "accounts" | "db" | "addKey">,
  resellerId: string,
): Promise<DashboardFixtures> {
  const input = { email: "invited@corner.example", role: "viewer" };
  const invited = await invitePerson(desk.accounts, { kind: "user", resellerId }, input, COMMAND);
  const { db } = desk;
  const tenant = { resellerId, environment: "live" } as const;
  const { id: keyId } = await desk.addKey(resellerId);
  const webhookId = await addEndpoint(db, tenant);
  const eventId = await addEvent(db, tenant);
  return {
    personId: invited.id,
    keyId,
    orderId: await addPendingOrder(db, tenant, keyId),
    webhookId,
    deliveryId: await addDelivery(db, { eventId, endpointId: webhookId }),
    eventId,
    requestId: await addLoggedRequest(db, tenant),
    depositId: (await requestDeposit({ db, clock: systemClock }, tenant, { amountMinor: 100n }, COMMAND))
      .deposit.id,
  };
}

/** A row without units or a debit: pages only look for its owner here. */
async function addPendingOrder(db: Db, { resellerId, environment }: Tenant, keyId: string): Promise<string> {
  const id = newId("ord");
  await db.rows(sql`
    insert into orders (id, reseller_id, environment, idempotency_key, fingerprint, status, total_minor, currency, key_id,
                        created_at, updated_at)
    values (${id}, ${resellerId}, ${environment}, ${id}, sha256(''), 'pending', 100, 'USD', ${keyId}, now(), now())`);
  await db.rows(sql`
    insert into order_lines (order_id, line_index, reseller_id, environment, product_id, name, unit_price_minor, quantity,
                             line_total_minor)
    values (${id}, 0, ${resellerId}, ${environment}, 'card', 'Card', 100, 1, 100)`);
  return id;
}
