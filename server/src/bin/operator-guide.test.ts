import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { TEST_MASTER_KEY } from "../../testing/app/test-settings.ts";
import { openScripDesk, type ScripDesk } from "../../testing/processes/scrip-desk.ts";
import { ALERT_KINDS, runbookAnchor } from "../alerts/conditions.ts";
import { GUIDES_FOLDER, OPERATOR_GUIDE_NAME } from "../web/docs/read-guides.ts";
import { slugOf } from "../web/docs/render-guide.ts";

let app: TestApp;
let scrip: ScripDesk;
let guide: string;
before(async () => {
  guide = await readFile(new URL(`${OPERATOR_GUIDE_NAME}.md`, GUIDES_FOLDER), "utf8");
  app = await createTestApp();
  scrip = openScripDesk({
    DATABASE_URL: app.connectionString,
    SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64"),
  });
});
after(() => app.close());

test("the operator's guide has a heading for each kind of alert, and no other", () => {
  const runbooks = guide.slice(guide.indexOf("## What to do at each alert"));
  const headings = [...runbooks.matchAll(/^### (.+)$/gm)].map(([, text = ""]) => slugOf(text));
  assert.deepEqual(headings, ALERT_KINDS.map(runbookAnchor));
});

test("each command of the operator's guide works as it is", async () => {
  const blocks = [...guide.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, block = ""]) =>
    block.split("\n"),
  );
  const lines = blocks.map((line) => line.trim()).filter((line) => line !== "");
  assert.ok(lines.length > 5);
  for (const line of lines) {
    const [, args = ""] = /^npx scrip (.+)$/.exec(line) ?? [];
    const words = [...args.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
    const { code, stderr } = await scrip.run(words);
    assert.deepEqual([code, stderr], [0, ""], line);
  }
});
