import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const SOURCE = import.meta.dirname;

test("the SDK imports nothing but itself, so that it runs wherever there is fetch", () => {
  const files = globSync("**/*.ts", { cwd: SOURCE }).filter(
    (file) => !file.endsWith(".test.ts") && !file.startsWith("testing/"),
  );
  assert.ok(files.includes("index.ts") && files.length > 5);
  for (const file of files) {
    const text = readFileSync(join(SOURCE, file), "utf8");
    for (const [, target = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
      assert.match(target, /^(?:\.\/|(?:\.\.\/)+)[a-z/-]+\.ts$/, `${file} imports ${target}`);
      assert.ok(files.includes(join(dirname(file), target)), `${file} imports ${target}`);
    }
    assert.doesNotMatch(text, /\b(?:Buffer|process|require|__dirname)\b/, file);
  }
});
