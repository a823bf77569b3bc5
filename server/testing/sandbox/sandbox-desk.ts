import assert from "node:assert/strict";
import type { LightMyRequestResponse } from "fastify";
import sql from "sql-template-tag";
import { audit } from "../../src/audit/audit.ts";
import { refundAfterCompletion } from "../../src/fulfilment/refund/refund-after-completion.ts";
import type { OrderView } from "../../src/orders/schemas.ts";
import { createTestApp, type TestApp } from "../app/test-app.ts";
import { LOOPBACK } from "../app/test-settings.ts";
import { addListPrice, addProducts } from "../builders/builders.ts";
import { addBuyer, type Buyer } from "../builders/buyers.ts";
import { createTestFulfiller, type TestFulfiller } from "../builders/fulfilment.ts";
import { keepPlans } from "../database/keep-plans.ts";
import { createHandClock, type HandClock } from "../hand-clock.ts";
import type { Answer, HttpsReceiver } from "../receivers/https-receiver.ts";
import { openSandboxInbox, type Received } from "./sandbox-inbox.ts";

export const SANDBOX_FUNDS_MINOR = 100_000_000;
/** The sandbox products and their prices. The top-up is last. */
export const PRICES_MINOR = { card: 250, voucher: 100, credits: 400 } as const;
type ProductId = keyof typeof PRICES_MINOR;
export type Line = [productId: ProductId, quantity: number];
export const LINES: readonly Line[] = [
  ["card", 2],
  ["credits", 1],
];
const QUANTITY_MAX = 1_000;
const CLOCK_AHEAD_MS = 3_600_000;

/**
 * A reseller with a test key and an HTTPS server that receives its webhooks, and the service's workers, which run
 * their steps on demand with a manual clock.
 */
export type SandboxDesk = {
  scrip: TestApp;
  clock: HandClock;
  worker: TestFulfiller;
  receiver: HttpsReceiver;
  /** The reseller's live key. Its wallet has 1,000.00. */
  live: Buyer;
  sandbox: Buyer;
  /** One request with the test key, with a scenario if there is one. */
  ask(method: string, url: string, scenario?: string): Promise<LightMyRequestResponse>;
  place(placement: Placing): Promise<LightMyRequestResponse>;
  /** Returns the id of an accepted order. */
  order(placement: Placing): Promise<string>;
  read(orderId: string): Promise<OrderView>;
  codesOf(orderId: string): Promise<LightMyRequestResponse>;
  balance(): Promise<number>;
  /** The order's wallet entries, oldest first. */
  entriesOf(orderId: string): Promise<{ type: string; amount: number }[]>;
  /** Does everything that is due now, including deliveries. */
  work(): Promise<void>;
  /** What the web server has received for an order so far, in the order in which it happened. */
  receivedOf(orderId: string): Received[];
  /** Every status that the order ever had, recorded by the database. */
  statusesOf(orderId: string): Promise<string[]>;
  /** How the web server responds from now on. */
  answerWith(answer: Answer): void;
  assertHealthy(): Promise<void>;
  close(): Promise<void>;
};

export type Placing = {
  idempotencyKey: string;
  scenario?: string | undefined;
  lines?: readonly Line[];
  expectedTotal?: number;
  fulfilment?: string;
};

export const totalOf = (lines: readonly Line[]): number =>
  lines.reduce((sum, [productId, quantity]) => sum + PRICES_MINOR[productId] * quantity, 0);

export async function openSandbox(): Promise<SandboxDesk> {
  // Ids never go back in time within a process, and request ids use the system clock.
  const clock = createHandClock(new Date(Date.now() + CLOCK_AHEAD_MS));
  const scrip = await createTestApp({ clock, webhooks: { allowNetworks: LOOPBACK } });
  await stockShelves(scrip);
  await witnessStatuses(scrip);
  const live = await addBuyer(scrip);
  const { id: keyId, key } = await scrip.addKey(live.resellerId, { env: "test" });
  const sandbox: Buyer = { ...live, environment: "test", keyId, key };
  const inbox = await openSandboxInbox(clock);
  const worker = createTestFulfiller(scrip);
  const call: Call = (method, url, headers = {}, body) => scrip.call(method, url, { key, headers, body });
  const registered = await call("POST", "/v1/webhooks", JSON_BODY, JSON.stringify({ url: inbox.url }));
  assert.equal(registered.statusCode, 201, registered.body);
  inbox.trust(registered.json().secret);
  const deliverer = inbox.createDeliverer(scrip);

  return {
    scrip,
    clock,
    worker,
    receiver: inbox.receiver,
    live,
    sandbox,
    ...createCalls(call),
    async work() {
      await worker.drain();
      while (await refundAfterCompletion(worker.deps));
      await deliverer.drain();
    },
    receivedOf: inbox.receivedOf,
    statusesOf: (orderId) => listStatuses(scrip, orderId),
    answerWith: inbox.answerWith,
    async assertHealthy() {
      const { invariants } = await audit(keepPlans(scrip.db));
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

type Call = (
  method: string,
  url: string,
  headers?: Record<string, string>,
  body?: string,
) => Promise<LightMyRequestResponse>;
type Calls = Pick<SandboxDesk, "ask" | "place" | "order" | "read" | "codesOf" | "balance" | "entriesOf">;

/** The reseller's requests. */
function createCalls(call: Call): Calls {
  const place = (placing: Placing) => call("POST", "/v1/orders", ...toRequest(placing));
  const get = async (url: string) => {
    const reply = await call("GET", url);
    assert.equal(reply.statusCode, 200, reply.body);
    return reply.json();
  };
  return {
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
  fulfilment,
}: Placing): [Record<string, string>, string] {
  const body = {
    lines: lines.map(([productId, quantity]) => ({ productId, quantity })),
    ...(expectedTotal === undefined ? {} : { expectedTotal }),
    ...(fulfilment === undefined ? {} : { fulfilment }),
  };
  const headers = { ...JSON_BODY, "idempotency-key": idempotencyKey, ...scenarioHeader(scenario) };
  return [headers, JSON.stringify(body)];
}

/** Priced, but not available live. The sandbox sells it anyway. */
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

/** A status that is written again is not a second status. */
async function listStatuses({ db }: TestApp, orderId: string): Promise<string[]> {
  const rows = await db.rows<{ status: string }>(sql`
    select status from seen_statuses where order_id = ${orderId} order by number`);
  return rows.map(({ status }) => status).filter((status, index, all) => status !== all[index - 1]);
}
