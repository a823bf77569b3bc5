import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { isWide } from "../../server/testing/full-size.ts";
import { type Installed, installSdk, SDK_FOLDER } from "./install-sdk.ts";
import { ensureRuntimes, OLDEST_TYPESCRIPT } from "./runtimes.ts";

const ROOT = dirname(SDK_FOLDER);
const TARBALL_MAX_BYTES = 60_000;
const UNPACKED_MAX_BYTES = 200_000;
const RUN_TIMEOUT_MS = 60_000;
const OWN_COMPILER = join(ROOT, "node_modules/typescript/bin/tsc");

let installed: Installed;
let packageFolder: string;
const contents = () => globSync("**/*", { cwd: packageFolder }).filter((path) => /\.\w+$/.test(path));
const text = (path: string) => readFileSync(join(packageFolder, path), "utf8");

before(async () => {
  installed = await installSdk();
  packageFolder = join(installed.folder, "node_modules/@scrip/sdk");
  copyFileSync(join(import.meta.dirname, "consumer.ts"), join(installed.folder, "consumer.ts"));
});
after(() => installed.remove());

test("the package contains README, package.json, the JavaScript and its declarations, and nothing else", (t) => {
  const modules = globSync("**/*.ts", { cwd: join(SDK_FOLDER, "src") })
    .filter((file) => !file.endsWith(".test.ts") && !file.startsWith("testing/"))
    .map((file) => file.slice(0, -".ts".length));
  assert.ok(modules.includes("index") && modules.includes("webhooks/verify-webhook"));
  const expected = modules.flatMap((name) => [`lib/${name}.js`, `lib/${name}.d.ts`]);
  assert.deepEqual(contents().sort(), [...expected, "README.md", "package.json"].sort());
  const packedBytes = statSync(installed.tarball).size;
  const unpackedBytes = contents().reduce((sum, path) => sum + statSync(join(packageFolder, path)).size, 0);
  t.diagnostic(
    `@scrip/sdk: ${packedBytes} bytes packed, ${unpackedBytes} unpacked, ${contents().length} files`,
  );
  assert.ok(packedBytes < TARBALL_MAX_BYTES && unpackedBytes < UNPACKED_MAX_BYTES);
});

test("it needs no other package, runs nothing when it is installed, and names its licence", () => {
  const manifest = JSON.parse(text("package.json"));
  const own = JSON.parse(readFileSync(join(SDK_FOLDER, "package.json"), "utf8"));
  for (const name of ["dependencies", "peerDependencies", "optionalDependencies", "private"]) {
    assert.equal(manifest[name], undefined, name);
  }
  // None that npm would run by itself.
  assert.deepEqual(Object.keys(manifest.scripts), ["build", "pack"]);
  for (const name of ["name", "version", "license", "engines"]) assert.deepEqual(manifest[name], own[name]);
  assert.deepEqual(globSync("node_modules/{*,@*/*}/package.json", { cwd: installed.folder }), [
    "node_modules/@scrip/sdk/package.json",
  ]);
});

test("its files import only each other, and contain no path of the build machine", () => {
  const files = contents();
  for (const file of files) {
    assert.ok(!text(file).includes(ROOT), file);
    if (!/\.(js|d\.ts)$/.test(file)) continue;
    assert.doesNotMatch(text(file), /__\w+|\(this &&/, `${file} has a helper of the compiler`);
    for (const [, target = ""] of text(file).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
      assert.match(target, /^(?:\.\/|(?:\.\.\/)+)[a-z/-]+\.js$/, `${file} imports ${target}`);
      assert.ok(files.includes(join(dirname(file), target)), `${file} imports ${target}`);
    }
  }
});

test("it is imported from JavaScript, and by require where Node can", () => {
  const names = run([
    "--input-type=module",
    "-e",
    'console.log(Object.keys(await import("@scrip/sdk")).join(" "))',
  ]);
  const wanted =
    "createClient ScripError webhooks verifyWebhook signWebhook WebhookVerificationError sandboxCode formatMoney " +
    "toMinorUnits addMoney multiplyMoney compareMoney";
  for (const name of wanted.split(" ")) assert.ok(names.split(/\s/).includes(name), name);
  const required = run([
    "--input-type=commonjs",
    "-e",
    'console.log(typeof require("@scrip/sdk").createClient)',
  ]);
  assert.equal(required.trim(), "function");
});

test("a strict TypeScript program for Node type-checks against it, with moduleResolution nodenext", () => {
  symlinkSync(join(ROOT, "node_modules/@types"), join(installed.folder, "node_modules/@types"));
  typeCheck(OWN_COMPILER, "nodenext", { lib: ["es2022"], types: ["node"] });
});

test("so does one for the browser, with moduleResolution bundler", () => {
  typeCheck(OWN_COMPILER, "bundler", { lib: ["es2022", "dom", "dom.asynciterable"], types: [] });
});

if (isWide())
  test("so does one with TypeScript 5.0", async () => {
    await ensureRuntimes();
    typeCheck(OLDEST_TYPESCRIPT, "bundler", { lib: ["es2022", "dom", "dom.iterable"], types: [] });
  });

function typeCheck(compiler: string, resolution: string, settings: { lib: string[]; types: string[] }): void {
  const compilerOptions = {
    target: "es2022",
    module: resolution === "bundler" ? "esnext" : resolution,
    moduleResolution: resolution,
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    // Our declarations are checked with the customer's program; Node's own and those of the language are not ours to judge.
    skipLibCheck: settings.types.length > 0,
    skipDefaultLibCheck: true,
    ...settings,
  };
  const config = JSON.stringify({ compilerOptions, include: ["consumer.ts"] });
  writeFileSync(join(installed.folder, "tsconfig.json"), config);
  run([compiler, "-p", "."]);
}

/** The output of Node in the customer's folder. Any failure fails the test. */
function run(args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, {
    cwd: installed.folder,
    encoding: "utf8",
    timeout: RUN_TIMEOUT_MS,
  });
  if (error) throw error;
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}
