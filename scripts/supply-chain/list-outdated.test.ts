import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { describeOutdated, listOutdated, type Published } from "./list-outdated.ts";
import { MANIFESTS, type Manifest } from "./list-packages.ts";

const root = mkdtempSync(join(tmpdir(), "scrip-outdated-"));
after(() => rmSync(root, { recursive: true }));

/** The registry of these tests. */
const PUBLISHED: Readonly<Record<string, Published>> = {
  "behind@1.9.0": { newest: "1.10.0", versions: ["1.9.0", "1.10.0"] },
  "current@2.0.0": { newest: "2.0.0", versions: ["2.0.0"] },
  "left@3.0.0": { newest: "3.0.0", versions: ["3.0.0"], deprecated: "use right" },
  "@types/node@24.9.0": {
    newest: "26.0.0",
    versions: ["24.9.0", "24.10.0", "24.11.0-rc.1", "26.0.0"],
  },
  "typescript@5.0.4": { newest: "7.0.0", versions: ["5.0.4", "7.0.0"] },
};

function write(manifests: readonly Manifest[]): void {
  for (const [index, file] of MANIFESTS.entries()) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), JSON.stringify(manifests[index] ?? {}));
  }
}

const list = () =>
  listOutdated(root, async (name, version) => {
    const published = PUBLISHED[`${name}@${version}`];
    if (!published) throw new Error(`nobody published ${name}@${version}`);
    return published;
  });

test("what is behind or deprecated is listed for each package.json, and what is old on purpose is not", async () => {
  write([
    { devDependencies: { current: "2.0.0", behind: "1.9.0" } },
    { dependencies: { "@scrip/sdk": "0.1.0", left: "3.0.0" }, devDependencies: { "@types/node": "24.9.0" } },
    {},
    { dependencies: { "typescript-5": "npm:typescript@5.0.4" } },
  ]);
  assert.deepEqual(describeOutdated(await list()).split("\n"), [
    "package.json: behind 1.9.0 → 1.10.0",
    "server/package.json: @types/node 24.9.0 → 24.10.0",
    "server/package.json: left 3.0.0, deprecated: use right",
  ]);
});

test("when nothing is behind, one line says so", async () => {
  write([{ dependencies: { current: "2.0.0" } }]);
  assert.equal(
    describeOutdated(await list()),
    "every dependency is the registry's newest, and none is deprecated",
  );
});

test("without a network one line says so, and the exit code is 0", async () => {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(import.meta.dirname, "list-outdated.ts"), ...args], {
      env: { ...process.env, npm_config_registry: "http://127.0.0.1:1/" },
    });
  const error =
    "the registry did not answer (ECONNREFUSED), so nothing was compared; try again with a network";
  const [text, json] = await Promise.all([run(), run("--json")]);
  assert.equal(text.stdout, `${error}\n`);
  assert.deepEqual(JSON.parse(json.stdout), { error });
});
