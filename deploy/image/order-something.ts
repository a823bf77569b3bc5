import assert from "node:assert/strict";
import { eventually } from "../../server/testing/eventually.ts";
import type { BuiltImage } from "./build-image.ts";
import { runContainer, succeeded } from "./run-container.ts";

const REQUEST_TIMEOUT_MS = 5_000;

/** Places an order as an operator and a reseller would and returns how many codes came. The key is a test key: codes come from the sandbox. */
export async function orderSomething(
  image: BuiltImage,
  settings: Readonly<Record<string, string>>,
  url: string,
): Promise<number> {
  const scrip = (...args: string[]) => runContainer(image, args, settings).ended;
  const json = async (...args: string[]) => JSON.parse(succeeded(await scrip(...args, "--json")).stdout);
  const catalog = { ...settings, CATALOG: JSON.stringify({ products: [PRODUCT] }) };
  succeeded(await runContainer(image, [IMPORT_CATALOG], catalog, ["/bin/sh", "-c"]).ended);
  const price = ["--list", "standard", "--currency", "USD", "--amount", "23.40"];
  succeeded(await scrip("price", "set", "--product", PRODUCT.id, ...price));
  const { id } = await json(
    "reseller",
    "create",
    "--name",
    "Shop",
    "--currency",
    "USD",
    "--email",
    "a@b.example",
  );
  const { key } = await json("key", "create", "--reseller", id, "--env", "test");

  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { ...init.headers, "x-api-key": key };
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const reply = await fetch(`${url}${path}`, { ...init, headers, signal });
    assert.ok(reply.ok, `${path}: ${reply.status} ${await reply.clone().text()}`);
    return (await reply.json()) as Reply;
  };
  const { order } = await call("/v1/orders", {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "image-check" },
    body: JSON.stringify({ lines: [{ productId: PRODUCT.id, quantity: 2 }] }),
  });
  await eventually("the order is completed", async () => {
    const { order: now } = await call(`/v1/orders/${order.id}`);
    return now.status === "completed" ? true : undefined;
  });
  const { data } = await call(`/v1/orders/${order.id}/codes`);
  for (const { code } of data) assert.match(code, /^TEST-/);
  return data.length;
}

type Reply = { order: { id: string; status: string }; data: { code: string }[] };

const PRODUCT = { id: "card", name: "Card", faceValue: { amount: "25", currency: "USD" } };
const IMPORT_CATALOG = `printf %s "$CATALOG" >/tmp/catalog.json && exec scrip catalog import /tmp/catalog.json`;
