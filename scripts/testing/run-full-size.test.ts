import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { listFullSize } from "./run-full-size.ts";

const root = dirname(dirname(import.meta.dirname));
const read = (path: string) => readFileSync(join(root, path), "utf8");

for (const command of ["chaos", "fuzz", "soak"] as const) {
  test(`npm run ${command} runs tests at full size, and finds some`, () => {
    assert.ok(read(`${command}/run.ts`).includes(`runFullSize("${command}")`));
    assert.ok(listFullSize(command).length > 0);
  });
}

test("every test of which npm test runs a share is run at full size by one of the commands", () => {
  const found = new Set([...listFullSize("chaos"), ...listFullSize("fuzz"), ...listFullSize("soak")]);
  const sized = globSync(["sdk/**/*.test.ts", "server/**/*.test.ts", "chaos/*.test.ts"], { cwd: root })
    .filter((file) => !file.includes("node_modules"))
    .filter((file) => read(file).includes("sizeFor("));
  assert.deepEqual(sized.toSorted(), [...found].toSorted());
});
