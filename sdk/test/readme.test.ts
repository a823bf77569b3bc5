import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { installSdk, SDK_FOLDER } from "./install-sdk.ts";
import { openSandbox } from "./open-sandbox.ts";
import { runScript } from "./run-script.ts";
import { OWN_NODE } from "./runtimes.ts";

test("the README's code is one program that runs unchanged and prints what its comments say", async () => {
  const readme = readFileSync(join(SDK_FOLDER, "README.md"), "utf8");
  const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  assert.ok(blocks.length >= 10, `only ${blocks.length} blocks`);
  const program = blocks.join("\n");
  const promised = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
  assert.equal(promised.length, program.match(/console\.log/g)?.length, "each output is promised");

  const installed = await installSdk();
  try {
    writeFileSync(join(installed.folder, "readme.mjs"), program);
    const printed = await runInSandbox(installed.folder);
    // A receiver prints when it is called, which is further down than it stands.
    assert.deepEqual(printed.trimEnd().split("\n").sort(), promised.sort());
  } finally {
    installed.remove();
  }
});

async function runInSandbox(cwd: string): Promise<string> {
  const sandbox = await openSandbox(["nimbus-us-25", "zephyr"]);
  try {
    const env = { SCRIP_URL: sandbox.server.url, SCRIP_API_KEY: await sandbox.newKey() };
    return await runScript(OWN_NODE, ["readme.mjs"], { cwd, env });
  } finally {
    await sandbox.close();
  }
}
