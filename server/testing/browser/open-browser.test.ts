import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { unpack } from "./open-browser.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-open-browser-"));
});
after(() => rm(folder, { recursive: true, force: true }));

/** As the package does it: into whatever is the temporary folder. */
const UNPACKER = `
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
writeFileSync(tmpdir() + "/chromium", "");
process.stdout.write(tmpdir() + "/chromium");`;

test("the packaged browser is unpacked into its folder, and the temporary folder of everything else stays the same", async () => {
  const [script, target] = [join(folder, "unpack.mjs"), await mkdtemp(join(folder, "browser-"))];
  await writeFile(script, UNPACKER);
  const own = tmpdir();
  const unpacking = unpack(target, script);
  // PostgreSQL makes its folder at this time.
  assert.equal(tmpdir(), own);
  const { executablePath, env } = await unpacking;
  assert.equal(tmpdir(), own);
  assert.equal(executablePath, join(target, "chromium"));
  assert.deepEqual((await readdir(target)).sort(), ["chromium", "fonts.conf"]);
  assert.ok(Object.values(env).some((value) => value.startsWith(target)));
});
