import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { GUIDE_NAMES } from "./read-guides.ts";
import { SDK_PATH } from "./sdk-package.ts";

const SDK_FOLDER = dirname(fileURLToPath(import.meta.resolve("@scrip/sdk/package.json")));
const TAR_TIMEOUT_MS = 10_000;

let scrip: TestApp;
before(async () => {
  scrip = await createTestApp();
});
after(() => scrip.close());

test("GET /sdk/scrip-sdk.tgz needs no key, and revalidating transfers no body", async () => {
  const reply = await scrip.call("GET", SDK_PATH);
  assert.equal(reply.statusCode, 200);
  assert.equal(reply.headers["content-type"], "application/gzip");
  assert.equal(reply.headers["cache-control"], "public, max-age=300");
  const head = await scrip.call("HEAD", SDK_PATH);
  assert.deepEqual([head.statusCode, head.body], [200, ""]);
  assert.equal(head.headers["content-length"], String(reply.rawPayload.length));
  const again = await scrip.call("GET", SDK_PATH, {
    headers: { "if-none-match": String(reply.headers.etag) },
  });
  assert.deepEqual([again.statusCode, again.body], [304, ""]);
});

test("the package has README, package.json and lib, identical to the SDK folder", async () => {
  const { rawPayload } = await scrip.call("GET", SDK_PATH);
  const folder = await mkdtemp(join(tmpdir(), "scrip-sdk-package-"));
  try {
    await writeFile(join(folder, "sdk.tgz"), rawPayload);
    const { status, stderr } = spawnSync("tar", ["-xzf", "sdk.tgz"], {
      cwd: folder,
      timeout: TAR_TIMEOUT_MS,
    });
    assert.deepEqual([status, String(stderr)], [0, ""]);
    const paths = globSync("**/*.*", { cwd: join(folder, "package") }).sort();
    const modules = globSync("lib/**/*.*", { cwd: SDK_FOLDER });
    assert.deepEqual(paths, ["README.md", "package.json", ...modules].sort());
    for (const path of paths) {
      const [packed, own] = await Promise.all([
        readFile(join(folder, "package", path), "utf8"),
        readFile(join(SDK_FOLDER, path), "utf8"),
      ]);
      assert.equal(packed, own, path);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("another server packs the same bytes", async () => {
  const { headers } = await scrip.call("GET", SDK_PATH);
  const other = await createTestApp();
  try {
    assert.equal((await other.call("GET", SDK_PATH)).headers.etag, headers.etag);
  } finally {
    await other.close();
  }
});

/** Anyone could register a name that we have not published. */
const FROM_A_REGISTRY = /\b(?:npm|pnpm|yarn|bun|deno|npx)\b[^\n`]*\s(?:npm:)?@scrip\/sdk\b|npm:@scrip\/sdk/;

test("no page tells people to install the SDK from a public registry", async () => {
  const root = dirname(SDK_FOLDER);
  const files = globSync("{*.md,{docs,sdk,server}/**/*.md}", {
    cwd: root,
    exclude: (path) => path.endsWith("node_modules"),
  });
  assert.ok(files.includes("README.md") && files.includes("sdk/README.md"), String(files));
  for (const file of files)
    assert.doesNotMatch(readFileSync(join(root, file), "utf8"), FROM_A_REGISTRY, file);
  const guides = GUIDE_NAMES.map((name) => `/docs/guides/${name}`);
  for (const path of ["/openapi.json", "/docs/", "/docs/guides/", ...guides, "/errors"]) {
    assert.doesNotMatch((await scrip.call("GET", path)).body, FROM_A_REGISTRY, path);
  }
  for (const line of ["npm install @scrip/sdk", "deno add npm:@scrip/sdk", "pnpm add -D @scrip/sdk@1"]) {
    assert.match(line, FROM_A_REGISTRY);
  }
});

test("the quickstart installs the SDK from this server", async () => {
  const { body } = await scrip.call("GET", "/docs/guides/quickstart.md");
  assert.match(body, /^npm install .*https:\/\/api\.scrip\.example\/sdk\/scrip-sdk\.tgz$/m);
});
