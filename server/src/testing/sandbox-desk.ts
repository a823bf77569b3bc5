import assert from "node:assert/strict";
import type { LightMyRequestResponse } from "fastify";
import sql from "sql-template-tag";
import Stripe from "stripe";
import { audit } from "../audit/audit.ts";
import { refundAfterCompletion } from "../fulfilment/refund-after-completion.ts";
import type { OrderView } from "../orders/schemas.ts";
import { createCheckedAgent } from "../webhooks/checked-agent.ts";
import { sendDelivery } from "../webhooks/send-delivery.ts";
import { addListPrice, addProducts } from "./builders.ts";
import { addBuyer, type Buyer } from "./buyers.ts";
import { createTestDeliverer, LOOPBACK, type TestDeliverer } from "./delivery.ts";
import { createTestFulfiller, type TestFulfiller } from "./fulfilment.ts";
import { createHandClock, type HandClock } from "./hand-clock.ts";
import { type Answer, type HttpsReceiver, startHttpsReceiver } from "./https-receiver.ts";
import { ok } from "./receiver-answers.ts";
import { createTestApp, type TestApp } from "./test-app.ts";
import { caCertificate } from "./tls-fixture.ts";

export const SANDBOX_FUNDS_MINOR = 100_000_000;
/** What the sandbox sells here, and for how much. The top-up is last. */
export const PRICES_MINOR = { card: 250, voucher: 100, credits: 400 } as const;
type ProductId = keyof typeof PRICES_MINOR;
export type Line = [productId: ProductId, quantity: number];
export const LINES: readonly Line[] = [
  ["card", 2],
  ["credits", 1],
];
const QUANTITY_MAX = 1_000;
const CLOCK_AHEAD_MS = 3_600_000;

/** One request that reached the reseller's web server. */
export type Received = { eventId: string; type: string; orderId: string; status: string; verifies: boolean };

/**
 * A reseller with a test key and a web server of its own on HTTPS, which everything is told to; and the workers of the
 * service, which do their steps when they are told to, on a clock that is moved by hand.
 */
export type SandboxDesk = {
  scrip: TestApp;
  clock: HandClock;
  worker: TestFulfiller;
  receiver: HttpsReceiver;
  /** The reseller's live key; the wallet behind it holds 1,000.00. */
  live: Buyer;
  sandbox: Buyer;
  /** One request with the test key, and with the scenario where there is one. */
  ask(method: string, url: string, scenario?: string): Promise<LightMyRequestResponse>;
  place(placement: Placing): Promise<LightMyRequestResponse>;
  /** The id of an order that is accepted. */
  order(placement: Placing): Promise<string>;
  read(orderId: string): Promise<OrderView>;
  codesOf(orderId: string): Promise<LightMyRequestResponse>;
  balance(): Promise<number>;
  /** The order's entries in the wallet's statement, oldest first. */
  entriesOf(orderId: string): Promise<{ type: string; amount: number }[]>;
  /** Does what is due at this moment, up to the deliveries. */
  work(): Promise<void>;
  /** What has reached the web server of an order so far, in the order in which it happened. */
  receivedOf(orderId: string): Received[];
  /** Every status that the order ever had, the database itself being the witness. */
  statusesOf(orderId: string): Promise<string[]>;
  /** How the web server answers from now on. */
  answerWith(answer: Answer): void;
  assertHealthy(): Promise<void>;
  close(): Promise<void>;
};

export type Placing = {
  idempotencyKey: string;
  scenario?: string | undefined;
  lines?: readonly Line[];
  expectedTotal?: number;
};

export const totalOf = (lines: readonly Line[]): number =>
  lines.reduce((sum, [productId, quantity]) => sum + PRICES_MINOR[productId] * quantity, 0);

export async function openSandbox(): Promise<SandboxDesk> {
  // Ids never go back in time within a process, and those of requests are made by the system's clock.
  const clock = createHandClock(new Date(Date.now() + CLOCK_AHEAD_MS));
  const scrip = await createTestApp({ clock, webhooks: { allowNetworks: LOOPBACK } });
  await stockShelves(scrip);
  await witnessStatuses(scrip);
  const live = await addBuyer(scrip);
  const { id: keyId, key } = await scrip.addKey(live.resellerId, { env: "test" });
  const sandbox: Buyer = { ...live, environment: "test", keyId, key };
  const inbox = await openInbox(clock);
  const worker = createTestFulfiller(scrip);
  const call = (method: string, url: string, headers: Record<string, string> = {}, body?: string) =>
    scrip.call(method, url, { key, headers, body });
  const registered = await call("POST", "/v1/webhooks", JSON_BODY, JSON.stringify({ url: inbox.url }));
  assert.equal(registered.statusCode, 201, registered.body);
  inbox.trust(registered.json().secret);
  const deliverer = inbox.createDeliverer(scrip);
  const place = (placing: Placing) => call("POST", "/v1/orders", ...toRequest(placing));
  const get = async (url: string) => {
    const reply = await call("GET", url);
    assert.equal(reply.statusCode, 200, reply.body);
    return reply.json();
  };

  return {
    scrip,
    clock,
    worker,
    receiver: inbox.receiver,
    live,
    sandbox,
    ask: (method, url, scenario) => call(method, url, scenarioHeader(scenario)),
    place,
    async order(placing) {
      const reply = await place(placing);
      assert.equal(reply.statusCode, 202, reply.body);
      return reply.json().order.id;
    },
    read: async (orderId) => (await get(`/v1/orders/${orderId}`)).order,
    codesOf: (orderId) => call("GET", `/v1/orders/${orderId}/codes`),
    balance: async () => (await get("/v1/balance")).balance.amount,
    async entriesOf(orderId) {
      const { data } = await get(`/v1/wallet/entries?orderId=${orderId}`);
      return data.map(({ type, amount }: { type: string; amount: number }) => ({ type, amount })).reverse();
    },
    async work() {
      await worker.drain();
      while (await refundAfterCompletion(worker.deps));
      await deliverer.drain();
    },
    receivedOf: inbox.receivedOf,
    statusesOf: (orderId) => listStatuses(scrip, orderId),
    answerWith: inbox.answerWith,
    async assertHealthy() {
      const { invariants } = await audit(scrip.db);
      assert.deepEqual(
        invariants.filter(({ ok: holds }) => !holds),
        [],
      );
    },
    async close() {
      await inbox.close();
      await scrip.close();
    },
  };
}

const JSON_BODY = { "content-type": "application/json" };

const scenarioHeader = (scenario: string | undefined): Record<string, string> =>
  scenario === undefined ? {} : { "x-test-scenario": scenario };

function toRequest({
  idempotencyKey,
  scenario,
  lines = LINES,
  expectedTotal,
}: Placing): [Record<string, string>, string] {
  const body = {
    lines: lines.map(([productId, quantity]) => ({ productId, quantity })),
    ...(expectedTotal === undefined ? {} : { expectedTotal }),
  };
  const headers = { ...JSON_BODY, "idempotency-key": idempotencyKey, ...scenarioHeader(scenario) };
  return [headers, JSON.stringify(body)];
}

/** Priced, and not to be had live: the sandbox sells it all the same. */
async function stockShelves({ db }: TestApp): Promise<void> {
  const products = Object.entries(PRICES_MINOR);
  await addProducts(
    db,
    products.map(([id]) => ({ id, supply: "none" })),
  );
  await db.rows(sql`
    update products set max_quantity = ${QUANTITY_MAX}, type = case when id = 'credits' then 'top_up' else type end`);
  for (const [productId, amountMinor] of products)
    await addListPrice(db, { productId, amountMinor: BigInt(amountMinor) });
}

async function witnessStatuses({ db }: TestApp): Promise<void> {
  await db.rows(sql`
    create table seen_statuses (
      number bigint generated always as identity, order_id text not null, status text not null
    )`);
  await db.rows(sql`
    create function see_status() returns trigger language plpgsql as $$
    begin
      insert into seen_statuses (order_id, status) values (new.id, new.status);
      return null;
    end $$`);
  await db.rows(sql`
    create trigger orders_seen after insert or update of status on orders for each row execute function see_status()`);
}

/** A status that was written again is no second status. */
async function listStatuses({ db }: TestApp, orderId: string): Promise<string[]> {
  const rows = await db.rows<{ status: string }>(sql`
    select status from seen_statuses where order_id = ${orderId} order by number`);
  return rows.map(({ status }) => status).filter((status, index, all) => status !== all[index - 1]);
}

/** The reseller's web server: real HTTPS, each request judged by somebody else's verifier when it comes in. */
async function openInbox(clock: HandClock) {
  const received: Received[] = [];
  const { webhooks } = new Stripe("sk_test_unused");
  let secret = "";
  let answer = ok;
  const verifies = (body: Buffer, header: string): boolean => {
    try {
      webhooks.constructEvent(body, header, secret, TOLERANCE_SECONDS, undefined, clock.now().getTime());
      return true;
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
      throw error;
    }
  };
  const receiver = await startHttpsReceiver((response, request) => {
    const { type, data } = JSON.parse(request.body.toString("utf8"));
    received.push({
      eventId: String(request.headers["service-event-id"]),
      type,
      orderId: data.order_id,
      status: data.status,
      verifies: verifies(request.body, String(request.headers["service-signature"])),
    });
    answer(response, request);
  });
  const agent = createCheckedAgent({ allowNetworks: LOOPBACK, ca: caCertificate });
  return {
    receiver,
    url: receiver.url(),
    trust(shown: string) {
      secret = shown;
    },
    createDeliverer: ({ db }: TestApp): TestDeliverer =>
      createTestDeliverer(db, clock, (sending) => sendDelivery({ agent, allowNetworks: LOOPBACK }, sending)),
    // Two events of one moment are sent side by side, and may arrive in either order; their ids tell which was first.
    receivedOf: (orderId: string) =>
      received
        .filter((one) => one.orderId === orderId)
        .sort((one, other) => Number(one.eventId > other.eventId) - Number(one.eventId < other.eventId)),
    answerWith(next: Answer) {
      answer = next;
    },
    async close() {
      agent.destroy();
      await receiver.close();
    },
  };
}

const TOLERANCE_SECONDS = 300;
