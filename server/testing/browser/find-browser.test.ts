import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findBrowser } from "./find-browser.ts";

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-find-browser-"));
  for (const [name, mode] of [
    ["first/google-chrome", 0o755],
    ["first/chromium", 0o644],
    ["second/chromium-browser", 0o755],
    ["third/chromium", 0o755],
  ] as const) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), "", { mode });
  }
});
after(() => rm(folder, { recursive: true, force: true }));

const pathOf = (...names: string[]) => names.map((name) => join(folder, name)).join(":");

test("CHROMIUM_PATH comes first and is used as it is", () => {
  const env = { CHROMIUM_PATH: "/opt/mine", PATH: pathOf("third") };
  assert.deepEqual(findBrowser(env, "linux-x64"), { path: "/opt/mine" });
});

test("on the PATH, chromium comes before chromium-browser, and both before google-chrome", () => {
  const found = (...names: string[]) => findBrowser({ PATH: pathOf(...names) }, "linux-x64");
  assert.deepEqual(found("first", "second", "third"), { path: join(folder, "third/chromium") });
  assert.deepEqual(found("first", "second"), { path: join(folder, "second/chromium-browser") });
  assert.deepEqual(found("first"), { path: join(folder, "first/google-chrome") });
});

test("otherwise the packaged browser is used on Linux x64, and none elsewhere", () => {
  const env = { CHROMIUM_PATH: "", PATH: pathOf("none") };
  assert.equal(findBrowser(env, "linux-x64"), "packaged");
  assert.equal(findBrowser(env, "linux-arm64"), undefined);
  assert.equal(findBrowser({}, "linux-arm64"), undefined);
});
