import assert from "node:assert/strict";
import { eventually } from "../eventually.ts";
import { CARDS, TOP_UP, TOP_UP_VALUES } from "./fuzz-goods.ts";
import type { FuzzOperation } from "./fuzz-operations.ts";
import type { FuzzRequest, FuzzSources } from "./fuzz-request.ts";
import type { Owner } from "./fuzz-world.ts";
import type { RawReply } from "./raw-http.ts";

/** Sends a request and has its response judged and remembered. */
export type Ask = (request: FuzzRequest) => Promise<RawReply>;

/**
 * Gives each tenant some of everything: orders with codes, endpoints, events, deliveries, cursors. From then on
 * there is an object of each kind, so a single request can be sent alone and stay the same.
 */
export async function warmUp(
  { world, memory, operations, receiverUrl, deadUrl }: FuzzSources,
  ask: Ask,
): Promise<void> {
  const find = (id: string): FuzzOperation => {
    const operation = operations.find((each) => each.id === id);
    assert.ok(operation, `no such operation: ${id}`);
    return operation;
  };
  await Promise.all(
    world.owners.map(async (owner) => {
      const send = async (id: string, parts: Parts, status: number): Promise<RawReply> => {
        const reply = await ask(plainRequest(find(id), owner, parts));
        assert.equal(reply.status, status, `${id}: ${reply.body}`);
        return reply;
      };
      await send("registerWebhook", { body: { url: receiverUrl } }, 201);
      await send("requestDeposit", { body: { amount: 500, note: "test:wait" } }, 200);
      await send("registerWebhook", { body: { url: deadUrl } }, 201);
      const placed = JSON.parse((await placeOrders(owner, send)).body).order.id as string;
      memory.note(owner.tenant, "idempotency key", `${owner.tenant} warm-up 0`);
      memory.note(owner.tenant, "reference", "warm-up");
      await eventually("the order completes", async () => {
        const { order } = JSON.parse((await send("getOrder", { id: placed }, 200)).body);
        return order.status === "completed" ? true : undefined;
      });
      await send("getOrderCodes", { id: placed }, 200);
      const webhooks = JSON.parse((await send("listWebhooks", {}, 200)).body).data as { id: string }[];
      for (const { id } of webhooks) await send("testWebhook", { id }, 200);
      for (const { id } of webhooks) await send("listWebhookDeliveries", { id, query: "?limit=1" }, 200);
      await send("getProduct", { id: CARDS[0] }, 200);
      // Few random values are those of an account.
      await send("checkProductAccount", { id: TOP_UP, body: { inputFields: TOP_UP_VALUES } }, 200);
      for (const list of operations.filter(({ id, object }) => id.startsWith("list") && object === undefined))
        await send(
          list.id,
          list.parameters.some(({ name }) => name === "limit") ? { query: "?limit=1" } : {},
          200,
        );
    }),
  );
}

type Parts = { id?: string; query?: string; body?: object; headers?: [string, string][] };
type Send = (id: string, parts: Parts, status: number) => Promise<RawReply>;

async function placeOrders(owner: Owner, send: Send): Promise<RawReply> {
  const bodies = [
    { lines: [{ productId: CARDS[0], quantity: 2 }], reference: "warm-up" },
    { lines: [{ productId: TOP_UP, quantity: 1, inputFields: TOP_UP_VALUES }] },
    { lines: [{ productId: CARDS[1], quantity: 1 }] },
  ];
  const replies = await Promise.all(
    bodies.map((body, index) =>
      send("placeOrder", { body, headers: [["Idempotency-Key", `${owner.tenant} warm-up ${index}`]] }, 202),
    ),
  );
  return replies[0] as RawReply;
}

function plainRequest(
  operation: FuzzOperation,
  key: Owner,
  { id = "", query = "", body, headers = [] }: Parts,
): FuzzRequest {
  return {
    faults: [],
    method: operation.method,
    target: operation.path.replace(/\{\w+\}/, encodeURIComponent(id)) + query,
    headers: [
      ["Host", "localhost"],
      ["X-API-Key", key.key],
      ...headers,
      ...(body ? ([["Content-Type", "application/json"]] as [string, string][]) : []),
    ],
    body: body && Buffer.from(JSON.stringify(body)),
    framing: "length",
    cut: false,
    operation,
    key,
    objectId: operation.object === undefined ? undefined : id,
    forced: false,
    content: body,
  };
}
