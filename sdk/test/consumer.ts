// A customer's program that is only type-checked, by package.test.ts: against the declarations of the packed SDK.

import {
  addMoney,
  type Client,
  createClient,
  formatMoney,
  type Order,
  ScripError,
  sandboxCode,
  toMinorUnits,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
  webhooks,
} from "@scrip/sdk";

export const scrip: Client = createClient({
  baseUrl: "https://api.example.com",
  apiKey: "sc_test_0",
  timeoutMs: 5_000,
  retries: 1,
  fetch: (url, init) => fetch(url, init),
});

export async function buy(productId: string, signal: AbortSignal): Promise<string[]> {
  const lines = [{ productId, quantity: 1, inputFields: { player: 7 } }];
  const { order, replayed, idempotencyKey } = await scrip.orders.place({ lines, reference: "r" }, { signal });
  const isReplayed: boolean = replayed;
  const ended: Order = await scrip.orders.wait(order.id, { timeoutMs: 1_000, signal });
  const { data } = await scrip.orders.codes(ended.id);
  const expected: string = await sandboxCode(idempotencyKey, 0, 0);
  const total: string = formatMoney(
    addMoney(order.total, { amount: toMinorUnits("1.00", 2), currency: "USD" }),
  );
  return [...data.map(({ code }) => code ?? ""), expected, total, String(isReplayed)];
}

export async function walk(): Promise<number> {
  let count = 0;
  for await (const order of scrip.orders.list({ status: "completed", limit: 10 }))
    count += order.lines.length;
  for await (const page of scrip.catalog.list().pages()) count += page.data.length;
  const { data, hasMore, nextCursor } = await scrip.wallet.entries({ type: "order" });
  return count + data.length + Number(hasMore) + nextCursor.length;
}

export async function receive(request: Request): Promise<string> {
  try {
    const event: WebhookEvent = await verifyWebhook(await request.text(), request.headers, ["whsec_a"]);
    const header: string = await webhooks.sign("{}", "whsec_a", { timestampSeconds: 1 });
    if (event.type === "webhook.test") return event.data.webhook_id;
    if (event.type === "order.fulfilled" || event.type === "order.refunded")
      return event.data.order_id + header;
    // A later version has more types. A receiver ignores those that it does not know.
    return header;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    if (error instanceof ScripError) return error.code + error.status + (error.requestId ?? "");
    throw error;
  }
}

// These must be type errors; if a type got lost, they would no longer be.
// @ts-expect-error the API key is missing
createClient({ baseUrl: "https://api.example.com" });
// @ts-expect-error a quantity is a number
scrip.orders.place({ lines: [{ productId: "card", quantity: "1" }] });
// @ts-expect-error there is no such status
scrip.orders.list({ status: "done" });
// @ts-expect-error a parsed body cannot be verified
verifyWebhook({ id: "evt_1" }, {}, "whsec_a");
