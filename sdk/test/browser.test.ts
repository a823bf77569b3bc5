import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { openBrowser } from "../../server/testing/browser/open-browser.ts";
import { sandboxCode } from "../src/sandbox-code.ts";
import { RECIPIENT, SEALED } from "../src/testing/sealed-order.ts";
import { installSdk } from "./install-sdk.ts";

/** What a page does with the SDK; it is run in the browser, as text. */
const PAGE_SCRIPT = `(async () => {
  const sdk = await import("/lib/index.js");
  const heard = [];
  const fetch = async (url, { headers }) => {
    heard.push(headers["idempotency-key"]);
    const body = { order: { id: "ord_1", status: "pending", total: { amount: 250, currency: "USD" } } };
    return new Response(JSON.stringify(body), { status: 202, headers: { "content-type": "application/json" } });
  };
  const scrip = sdk.createClient({ baseUrl: location.origin, apiKey: "sc_test_0", fetch });
  const placed = await scrip.orders.place({ lines: [{ productId: "card", quantity: 1 }] });
  const body = JSON.stringify({ id: "evt_1", type: "later", created_at: "now", data: {} });
  const headers = new Headers({ "Service-Signature": await sdk.signWebhook(body, "whsec_a") });
  const event = await sdk.verifyWebhook(new TextEncoder().encode(body).buffer, headers, "whsec_a");
  const opened = await sdk.openCodes(${JSON.stringify(SEALED)}, new Uint8Array(${JSON.stringify([...Buffer.from(RECIPIENT, "hex")])}));
  return { opened: opened.data[0].code, event: event.id, key: placed.idempotencyKey, heard, code: await sdk.sandboxCode("key", 0, 1) };
})()`;

test("a page in a browser imports the package, generates keys, signs, verifies, computes codes and opens sealed ones", async () => {
  const installed = await installSdk();
  const site = await startSite(join(installed.folder, "node_modules/@scrip/sdk"));
  const chromium = await openBrowser();
  try {
    const page = await chromium.browser.newPage();
    await page.goto(site.url);
    const done = (await page.evaluate(PAGE_SCRIPT)) as {
      opened: string;
      event: string;
      key: string;
      heard: string[];
      code: string;
    };
    assert.equal(done.opened, "ABCD-1234");
    assert.equal(done.event, "evt_1");
    assert.match(done.key, /^[0-9a-f-]{36}$/);
    assert.deepEqual(done.heard, [done.key]);
    assert.equal(done.code, await sandboxCode("key", 0, 1));
    assert.deepEqual(site.missing, []);
  } finally {
    await chromium.close();
    await site.close();
    installed.remove();
  }
});

/** A page, and the package's files beside it; on this machine, where a browser gives Web Crypto to plain http as well. */
async function startSite(
  folder: string,
): Promise<{ url: string; missing: string[]; close(): Promise<void> }> {
  const missing: string[] = [];
  const server = createServer(({ url = "/" }, response) => {
    const path = join(folder, url);
    if (url === "/")
      response.setHeader("content-type", "text/html").end("<!doctype html><title>Shop</title>");
    else if (existsSync(path)) response.setHeader("content-type", "text/javascript").end(readFileSync(path));
    else {
      if (url !== "/favicon.ico") missing.push(url);
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    missing,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
