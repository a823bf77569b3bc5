import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { addListPrice, addProducts } from "../../server/src/testing/builders.ts";
import { type ServerProcess, startServerProcess } from "../../server/src/testing/start-server-process.ts";
import { createTestApp, type TestApp } from "../../server/src/testing/test-app.ts";
import { eventBody } from "../../server/src/webhooks/event-body.ts";
import { signDelivery } from "../../server/src/webhooks/sign-delivery.ts";
import { type Installed, installSdk } from "./install-sdk.ts";
import { type LossyProxy, startLossyProxy } from "./lossy-proxy.ts";
import { ensureRuntimes, RUNTIMES } from "./runtimes.ts";

const RUN_TIMEOUT_MS = 60_000;
const PROMISES = 9;
const PRODUCTS = ["card", "gems"];
const SECRET = "whsec_c2VjcmV0";

let scrip: TestApp;
let server: ServerProcess;
let installed: Installed;

before(async () => {
  await ensureRuntimes();
  scrip = await createTestApp();
  await addProducts(
    scrip.db,
    PRODUCTS.map((id) => ({ id })),
  );
  for (const productId of PRODUCTS) await addListPrice(scrip.db, { productId, amountMinor: 250n });
  const { connectionString } = scrip;
  [server, installed] = await Promise.all([
    startServerProcess({ connectionString, port: 0, limits: {} }),
    installSdk(),
  ]);
  copyFileSync(join(import.meta.dirname, "suite.mjs"), join(installed.folder, "suite.mjs"));
});
after(async () => {
  await server?.stop();
  await scrip?.close();
  installed?.remove();
});

for (const { name, version, command, args = [] } of RUNTIMES) {
  test(`on ${name} the packed SDK keeps its promises against a real server, and lets the process end`, async () => {
    assert.ok(existsSync(command), `there is no ${name} for ${process.platform} on ${process.arch}`);
    const told = await run(command, ["--version"]);
    assert.match(told, version);
    const proxy = await startLossyProxy(server.url);
    const settings = join(installed.folder, `${name}.json`);
    writeFileSync(settings, JSON.stringify(await newSettings(proxy)));
    const printed = await run(command, [...args, "suite.mjs", settings]).finally(() => proxy.close());
    assert.equal(printed.match(/^held: /gm)?.length, PROMISES, printed);
    assertEachSentTwice(proxy.keysHeard);
    assert.equal(server.logged(), "");
  });
}

/** A reseller of its own for each runtime, so that each meets an empty sandbox. */
async function newSettings(proxy: LossyProxy): Promise<object> {
  const { id } = await scrip.addReseller();
  const { key } = await scrip.addKey(id, { env: "test" });
  const body = eventBody({
    id: "evt_1",
    type: "order.fulfilled",
    createdAt: new Date(),
    data: { order_id: "ord_☃", status: "fulfilled" },
  });
  const header = signDelivery([SECRET], Math.floor(Date.now() / 1000), body);
  return {
    url: server.url,
    lossyUrl: proxy.url,
    apiKey: key,
    products: PRODUCTS,
    delivery: { body, header, secret: SECRET },
  };
}

/** Once for the answer that was lost and once more, under the same key. */
function assertEachSentTwice(keysHeard: readonly string[]): void {
  const times = Map.groupBy(keysHeard, (key) => key);
  assert.equal(times.size, 2);
  for (const sent of times.values()) assert.equal(sent.length, 2);
}

/** What it prints on standard output, when all went well. */
async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, {
    cwd: installed.folder,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: RUN_TIMEOUT_MS,
  });
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      output[stream] += text;
    });
  }
  const [code, signal] = await once(child, "close");
  assert.deepEqual([code, signal], [0, null], output.stdout + output.stderr);
  return output.stdout;
}
