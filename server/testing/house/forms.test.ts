import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

/** What a form calls that wants fresh proof. A look-up at a supplier does not. */
const NEEDS_PROOF =
  /\b(provedBy|confirmedBy|changerOf|operatorOf(?!\(ctx, "look_up")|requireFreshProof|(create|roll|change|unfreeze)KeyHere)\(/;
/** These ask on the page of the form, because no secret waits in a page for the proof. */
const ASKS_BEFORE = /\bisProved\(/;

test("a form that needs fresh proof says what it does, for the page that asks for it", () => {
  const files = globSync("{access,console,dashboard}/**/*.ts", { cwd: SRC }).filter(
    (file) => !file.endsWith(".test.ts"),
  );
  const forms = files.flatMap((file) =>
    readFileSync(join(SRC, file), "utf8")
      .split(/\bface\.(?=action\(|download\(|page\()/)
      .filter((part) => part.startsWith("action("))
      .map((part) => ({ file, form: part })),
  );
  const proving = forms.filter(({ form }) => NEEDS_PROOF.test(form) && !ASKS_BEFORE.test(form));
  assert.ok(proving.length > 20, `only ${proving.length} forms were found`);
  const silent = proving.filter(({ form }) => !/\bdoes\b/.test(form));
  assert.deepEqual(
    silent.map(({ file, form }) => `${file}: ${/path: ([^\n]*)/.exec(form)?.[1]}`),
    [],
  );
});
