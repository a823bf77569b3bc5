import assert from "node:assert/strict";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { runNpm } from "../../scripts/run-npm.mjs";
import { isWide } from "../../server/testing/full-size.ts";
import { buildPackage } from "../scripts/build-package.ts";
import { SDK_FOLDER } from "./install-sdk.ts";
import { runScript } from "./run-script.ts";
import { ensureRuntimes, OWN_NODE, RUNTIMES } from "./runtimes.ts";

const ROOT = dirname(SDK_FOLDER);
const STALE = "sdk/lib is not what sdk/src gives; run `npm run build -w sdk`";

let work: string;
before(() => {
  work = mkdtempSync(join(tmpdir(), "scrip-plain-pack-"));
  buildPackage(join(work, "built"));
});
after(() => rmSync(work, { recursive: true, force: true }));

test("sdk/lib equals a fresh build of the source", () => {
  assert.deepEqual(textsIn(join(SDK_FOLDER, "lib")), textsIn(join(work, "built/lib")), STALE);
});

test("plain `npm pack -w sdk` in a fresh checkout packs what installs and runs", async () => {
  const checkout = join(work, "checkout");
  copyCheckout(checkout);
  await runNpm(["pack", "-w", "sdk"], { cwd: checkout, what: "pack", stdio: ["ignore", "ignore", 2] });
  const shop = join(work, "shop");
  mkdirSync(shop);
  writeFileSync(join(shop, "package.json"), '{ "private": true, "type": "module" }\n');
  const tarball = join(checkout, "scrip-sdk-0.1.0.tgz");
  await runNpm(["install", tarball, "--offline", "--cache", join(work, "cache")], {
    cwd: shop,
    what: "install the SDK",
    stdio: ["ignore", "ignore", 2],
  });
  assert.deepEqual(textsIn(join(shop, "node_modules/@scrip/sdk")), textsIn(join(work, "built")));
  if (isWide()) await ensureRuntimes();
  const nodes = isWide() ? RUNTIMES.filter(({ name }) => /^Node (18|24)$/.test(name)) : [OWN_NODE];
  const program = 'import { toMinorUnits } from "@scrip/sdk"; console.log(toMinorUnits("12.50", "USD"))';
  for (const node of nodes) {
    const printed = await runScript(node, ["--input-type=module", "-e", program], { cwd: shop });
    assert.equal(printed, "1250n\n", node.name);
  }
});

/** As a clone has it: without what was installed or built. */
function copyCheckout(folder: string): void {
  mkdirSync(folder);
  for (const name of ["package.json", ".npmrc"]) cpSync(join(ROOT, name), join(folder, name));
  cpSync(join(ROOT, "server/package.json"), join(folder, "server/package.json"));
  const isTracked = (path: string) => !/\/node_modules$|\.tgz$/.test(path);
  cpSync(SDK_FOLDER, join(folder, "sdk"), { recursive: true, filter: isTracked });
}

/** What each file holds, by its path. */
const textsIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    globSync("**/*.*", { cwd: folder })
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), "utf8")]),
  );
