import assert from "node:assert/strict";
import { invitePerson } from "../../src/accounts/people/invite-person.ts";
import { rejectDeposit } from "../../src/deposits/reject-deposit.ts";
import { requestDeposit } from "../../src/deposits/request-deposit.ts";
import type { Tenant } from "../../src/http/caller.ts";
import { SCOPES } from "../../src/http/caller.ts";
import { createKey } from "../../src/keys/create-key.ts";
import { moveFunds } from "../../src/wallet/move-funds.ts";
import type { DashboardFixtures } from "../app/dashboard-matrix.ts";
import { addListPrice, addProducts } from "../builders/builders.ts";
import { createTestFulfiller } from "../builders/fulfilment.ts";
import { addLoggedRequest } from "../builders/logged-requests.ts";
import { addAttempt, addDelivery, addEvent } from "../builders/webhook-builders.ts";
import type { openDashboardDesk } from "./dashboard-desk.ts";
import { COMMAND } from "./people-desk.ts";

export type FilledReseller = DashboardFixtures & { resellerId: string; productId: string; key: string };
type Desk = Awaited<ReturnType<typeof openDashboardDesk>>;

export const FILLED_PRODUCT = "filled-card";
const TOP_UP = { key: "playerId", type: "text", required: true, regex: "^[0-9]{4,12}$", options: [] };

/**
 * A reseller whose sandbox has something on every page of the dashboard. Wherever a reseller, the operator or a receiver writes
 * something, it is this text. The clock of the desk must be near the present, because the request log is.
 */
export async function fillReseller(desk: Desk, text: string): Promise<FilledReseller> {
  const { db, clock } = desk;
  const { id: resellerId } = await desk.addReseller({ name: text });
  const tenant = { resellerId, environment: "test" } as const;
  await moveFunds(
    db,
    clock,
    { resellerId, environment: "live" },
    { direction: "credit", amount: "75.00", note: text },
  );
  const { id: keyId, key } = await createKey(
    { db, clock, pepper: desk.secrets.pepper },
    { ...tenant, name: text, scopes: SCOPES, allowedIps: [], expiresAt: undefined },
  );
  const person = { email: `invited.${keyId}@corner.example`, name: text, role: "viewer" };
  const invited = await invitePerson(desk.accounts, { kind: "user", resellerId }, person, COMMAND);
  const call = (path: string, body: object, headers: Record<string, string> = {}) =>
    desk.call("POST", path, {
      key,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const url = `https://hooks.example.com/${encodeURIComponent(text)}`;
  const registered = await call("/v1/webhooks", { url });
  assert.equal(registered.statusCode, 201, registered.body);
  const orderIds = await placeOrders(call, text);
  await createTestFulfiller(desk).drain();
  const webhookId: string = registered.json().webhook.id;
  return {
    resellerId,
    productId: FILLED_PRODUCT,
    key,
    personId: invited.id,
    keyId,
    orderId: orderIds[0] ?? "",
    webhookId,
    depositId: await addDeposits(desk, tenant, text),
    ...(await addHistory(desk, tenant, webhookId, text)),
  };
}

/** As many rows in each list as a page shows, and more. */
export async function fillLists(desk: Desk, filled: FilledReseller, count: number): Promise<void> {
  const { db } = desk;
  const tenant = { resellerId: filled.resellerId, environment: "test" } as const;
  const ids = Array.from({ length: count }, (_, index) => `many-${index}`);
  await addProducts(
    db,
    ids.map((id) => ({ id, name: `Nimbus Store 25 USD ${id}` })),
  );
  for (const productId of ids) {
    await addListPrice(db, { productId, amountMinor: 2_325n });
    await addLoggedRequest(db, tenant, { status: 402, errorCode: "insufficient_funds", errorBody: "{}" });
    const eventId = await addEvent(db, tenant);
    const deliveryId = await addDelivery(db, { eventId, endpointId: filled.webhookId, status: "delivered" });
    await addAttempt(db, deliveryId, { number: 1, at: desk.clock.now(), status: 200 });
    const reply = await desk.call("POST", "/v1/orders", {
      key: filled.key,
      headers: { "content-type": "application/json", "idempotency-key": productId },
      body: JSON.stringify({ lines: [{ productId, quantity: 1 }], reference: `shop order ${productId}` }),
    });
    assert.equal(reply.statusCode, 202, reply.body);
  }
  await createTestFulfiller(desk).drain();
}

/** Two products, once for all resellers of the desk. */
export async function addFilledProducts(desk: Desk, text: string): Promise<void> {
  await addProducts(desk.db, [
    { id: FILLED_PRODUCT, name: text },
    { id: "filled-top-up", name: text, inputFields: [TOP_UP], supply: "none" },
  ]);
  for (const productId of [FILLED_PRODUCT, "filled-top-up"])
    await addListPrice(desk.db, { productId, amountMinor: 2_325n, strikeMinor: 2_500n });
}

/** One that waits and one that was rejected. Returns the first. */
async function addDeposits({ db, clock }: Desk, tenant: Tenant, text: string): Promise<string> {
  const request = async () =>
    (await requestDeposit({ db, clock }, tenant, { amountMinor: 50_000n, note: text }, COMMAND)).deposit.id;
  const waiting = await request();
  await rejectDeposit({ db, clock }, await request(), text, COMMAND);
  return waiting;
}

type Call = (path: string, body: object, headers?: Record<string, string>) => ReturnType<Desk["call"]>;

/** One that completes and one that is refunded, each with the text as reference and in its key. */
async function placeOrders(call: Call, text: string): Promise<string[]> {
  const ids: string[] = [];
  for (const scenario of [undefined, "refunded"]) {
    const reply = await call(
      "/v1/orders",
      { lines: [{ productId: FILLED_PRODUCT, quantity: 2 }], reference: text },
      {
        "idempotency-key": `${text} ${ids.length}`,
        ...(scenario === undefined ? {} : { "x-test-scenario": scenario }),
      },
    );
    assert.equal(reply.statusCode, 202, reply.body);
    ids.push(reply.json().order.id);
  }
  return ids;
}

/** A delivery that the receiver refused with the text, and a request that was refused. */
async function addHistory(
  { db, clock }: Desk,
  tenant: { resellerId: string; environment: "test" },
  webhookId: string,
  text: string,
): Promise<Pick<FilledReseller, "eventId" | "deliveryId" | "requestId">> {
  const eventId = await addEvent(db, tenant);
  const deliveryId = await addDelivery(db, { eventId, endpointId: webhookId, status: "failed" });
  await addAttempt(db, deliveryId, { number: 1, at: clock.now(), error: "timeout" });
  await addAttempt(db, deliveryId, { number: 2, at: clock.now(), status: 503, body: text.repeat(20) });
  const requestId = await addLoggedRequest(db, tenant, {
    status: 404,
    errorCode: "not_found",
    errorBody: JSON.stringify({ code: "not_found", detail: text }),
    path: `/v1/orders/${encodeURIComponent(text)}`,
    keyHint: text,
    actor: null,
  });
  return { eventId, deliveryId, requestId };
}
