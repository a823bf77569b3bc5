import { setTimeout as delay } from "node:timers/promises";
import { startProcess } from "../processes.ts";

const PATIENCE_MS = 60_000;
const POLL_MS = 200;

/** An order of the sandbox whose codes can be read. It takes a worker, which is not there while something is measured. */
export async function completeTestOrder(dataDir: string, key: string): Promise<string> {
  const scrip = await startProcess(
    new URL("../../server/src/bin/scrip.ts", import.meta.url).pathname,
    ["start"],
    {
      DATA_DIR: dataDir,
      PORT: "0",
      METRICS_PORT: "0",
      CONSOLE_PORT: "0",
      LOG_LEVEL: "error",
    },
  );
  try {
    const ask = async (path: string, init?: RequestInit) => {
      const reply = await fetch(scrip.url + path, {
        ...init,
        headers: { "x-api-key": key, "content-type": "application/json", "idempotency-key": "scale" },
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      return (await reply.json()) as { order: { id: string; status: string } };
    };
    const lines = [{ productId: "card-0", quantity: 2 }];
    const { order } = await ask("/v1/orders", { method: "POST", body: JSON.stringify({ lines }) });
    const endsAt = Date.now() + PATIENCE_MS;
    while ((await ask(`/v1/orders/${order.id}`)).order.status !== "completed") {
      if (Date.now() > endsAt) throw new Error("the test order was not completed in time");
      await delay(POLL_MS);
    }
    return order.id;
  } finally {
    await scrip.stop();
  }
}
