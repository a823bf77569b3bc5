import assert from "node:assert/strict";
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventBody } from "../../server/src/events/emit-events.ts";
import { signDelivery } from "../../server/src/webhooks/delivery/sign-delivery.ts";
import { type Installed, installSdk } from "./install-sdk.ts";
import { startLossyProxy } from "./lossy-proxy.ts";
import { openSandbox, type Sandbox } from "./open-sandbox.ts";
import { runScript } from "./run-script.ts";
import { ensureRuntimes, RUNTIMES } from "./runtimes.ts";

const PROMISES = 10;
const PRODUCTS = ["card", "gems"];
const SECRET = "whsec_c2VjcmV0";

let sandbox: Sandbox;
let installed: Installed;

before(async () => {
  await ensureRuntimes();
  installed = await installSdk();
  sandbox = await openSandbox(PRODUCTS);
  copyFileSync(join(import.meta.dirname, "suite.mjs"), join(installed.folder, "suite.mjs"));
});
after(async () => {
  installed?.remove();
  await sandbox?.close();
});

for (const runtime of RUNTIMES) {
  const { name, version, command } = runtime;
  test(`on ${name} the packed SDK keeps its promises against a real server, and lets the process end`, async () => {
    assert.ok(existsSync(command), `there is no ${name} for ${process.platform} on ${process.arch}`);
    const cwd = installed.folder;
    assert.match(await runScript({ command, args: [] }, ["--version"], { cwd }), version);
    const proxy = await startLossyProxy(sandbox.server.url);
    const settings = join(cwd, `${name}.json`);
    writeFileSync(settings, JSON.stringify(await newSettings(proxy.url)));
    const printed = await runScript(runtime, ["suite.mjs", settings], { cwd }).finally(() => proxy.close());
    assert.equal(printed.match(/^held: /gm)?.length, PROMISES, printed);
    assertEachSentTwice(proxy.keysHeard);
    assert.equal(sandbox.server.logged(), "");
  });
}

/** A reseller of its own for each runtime, so that each meets an empty sandbox. */
async function newSettings(lossyUrl: string): Promise<object> {
  const body = eventBody({
    id: "evt_1",
    type: "order.fulfilled",
    createdAt: new Date(),
    data: { order_id: "ord_☃", status: "fulfilled", environment: "live" },
  });
  const header = signDelivery([SECRET], Math.floor(Date.now() / 1000), body);
  return {
    url: sandbox.server.url,
    lossyUrl,
    apiKey: await sandbox.newKey(),
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
