import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import Stripe from "stripe";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import { type RunningScrip, startScrip } from "../../testing/processes/run-scrip.ts";
import { type HttpsReceiver, startHttpsReceiver } from "../../testing/receivers/https-receiver.ts";
import { ok } from "../../testing/receivers/receiver-answers.ts";
import { caCertificatePath } from "../../testing/receivers/tls-fixture.ts";
import type { OrderView } from "../orders/schemas.ts";
import { testCode } from "./test-code.ts";

/** CONTRACT 7: within a second or two. */
const COMPLETES_WITHIN_MS = 2_000;

let folder: string;
let database: TestDatabase;
let receiver: HttpsReceiver;
let server: RunningScrip;
let key: string;
let secret: string;
let productId: string;

/** The service as anybody would run it: one process with API, workers and deliveries, and the demo's test key. */
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-sandbox-"));
  database = await createTestDatabase();
  receiver = await startHttpsReceiver(ok);
  server = await startScrip(["--demo", "--no-history"], {
    DATA_DIR: folder,
    DATABASE_URL: database.connectionString,
    WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
    NODE_EXTRA_CA_CERTS: caCertificatePath,
  });
  key = /sc_test_\w+/.exec(server.stdout())?.[0] ?? "";
  const webhook = await call<{ secret: string }>("POST", "/v1/webhooks", { url: receiver.url() });
  secret = webhook.secret;
  const { data } = await call<{ data: { id: string; purchasable: boolean; inputFields?: unknown }[] }>(
    "GET",
    "/v1/catalog",
  );
  productId = data.find((product) => product.purchasable && !product.inputFields)?.id ?? "";
});
after(async () => {
  await server?.stop("SIGTERM");
  await receiver?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function call<Reply>(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const reply = await fetch(server.url + path, {
    method,
    headers: { "x-api-key": key, ...(body ? { "content-type": "application/json" } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(10_000),
  });
  assert.ok(reply.ok, `${method} ${path}: ${reply.status}`);
  return (await reply.json()) as Reply;
}

async function place(idempotencyKey: string, scenario: string): Promise<string> {
  const headers = { "idempotency-key": idempotencyKey, "x-test-scenario": scenario };
  const body = { lines: [{ productId, quantity: 2 }] };
  return (await call<{ order: { id: string } }>("POST", "/v1/orders", body, headers)).order.id;
}
const reaches = (id: string, status: string): Promise<OrderView> =>
  eventually(`${id} is ${status}`, async () => {
    const { order } = await call<{ order: OrderView }>("GET", `/v1/orders/${id}`);
    return order.status === status ? order : undefined;
  });
/** The types of the events that arrive of an order, each verified by an independent package. */
const arrive = (id: string, count: number): Promise<string[]> =>
  eventually(`${count} events of ${id} arrive`, async () => {
    const { webhooks } = new Stripe("sk_test_unused");
    const types = receiver.requests
      .filter(({ body }) => body.includes(id))
      .map(({ body, headers }) =>
        String(webhooks.constructEvent(body, String(headers["service-signature"]), secret).type),
      );
    return types.length >= count ? types : undefined;
  });

test("an order completes by itself within two seconds, with the codes that were computed before, and is told", async () => {
  const codes = [0, 1].map((unitIndex) => testCode("running", 0, unitIndex));
  await reaches(await place("warm", "success"), "completed");
  const id = await place("running", "success");
  const { createdAt, updatedAt } = await reaches(id, "completed");
  const tookMs = Date.parse(updatedAt) - Date.parse(createdAt);
  assert.ok(tookMs <= COMPLETES_WITHIN_MS, `it took ${tookMs} ms`);
  const { data } = await call<{ data: { code: string }[] }>("GET", `/v1/orders/${id}/codes`);
  assert.deepEqual(
    data.map(({ code }) => code),
    codes,
  );
  assert.deepEqual(await arrive(id, 1), ["order.fulfilled"]);
});

test("the running workers know the scenarios, those that act after the completion too", async () => {
  const [partial, later, failed] = [
    await place("partial", "partial"),
    await place("later", "refunded_after_completion"),
    await place("failed", "failed"),
  ];
  assert.deepEqual((await reaches(partial, "completed")).lines[0]?.refundedQuantity, 1);
  await reaches(failed, "failed");
  await reaches(later, "refunded");
  assert.deepEqual((await arrive(later, 2)).sort(), ["order.fulfilled", "order.refunded"]);
});

test("a header that is sent twice is refused, also when both say the same", async () => {
  const url = new URL("/v1/balance", server.url);
  const asked = request(url, { headers: { "x-api-key": key, "x-test-scenario": ["success", "success"] } });
  asked.end();
  const [reply] = (await once(asked, "response")) as [IncomingMessage];
  const { code } = JSON.parse(Buffer.concat(await reply.toArray()).toString("utf8"));
  assert.deepEqual([reply.statusCode, code], [400, "invalid_test_scenario"]);
});
