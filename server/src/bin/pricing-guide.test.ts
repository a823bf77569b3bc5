import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { TEST_MASTER_KEY } from "../../testing/app/test-settings.ts";
import { addProducts } from "../../testing/builders/builders.ts";
import { addRouteRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { openScripDesk } from "../../testing/processes/scrip-desk.ts";
import { GUIDES_FOLDER } from "../web/docs/read-guides.ts";

let app: TestApp;
let folder: string;
let resellerId: string;
let supplierId: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-pricing-guide-"));
  app = await createTestApp();
  resellerId = (await app.addReseller({ currency: "EUR" })).id;
  await addProducts(app.db, [{ id: "nimbus-us-25" }]);
  await app.db.rows(sql`update products set brand = 'Nimbus', country = 'US'`);
  supplierId = await addSupplierRow(app.db, { kind: "scrip" });
  await addRouteRow(app.db, { productId: "nimbus-us-25", supplierId, costMinor: 2_210n });
});
after(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

/** `npx scrip a "b c"` → a, b c. */
const argumentsOf = (line: string): string[] =>
  [...line.replace(/^npx scrip /, "").matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? "",
  );

test("every command of the guide to prices works, in the guide's order, and prints what it shows", async () => {
  const scrip = openScripDesk({
    DATABASE_URL: app.connectionString,
    SCRIP_MASTER_KEY: TEST_MASTER_KEY.toString("base64"),
  });
  const guide = await readFile(new URL("pricing.md", GUIDES_FOLDER), "utf8");
  let printed = "";
  let commands = 0;
  for (const [, language, about = "", text = ""] of guide.matchAll(/```(\w+) ?(\S*)\n([\s\S]*?)```/g)) {
    if (about.startsWith("file="))
      await writeFile(
        join(folder, about.slice("file=".length)),
        text.replace("TODAY", new Date().toISOString().slice(0, 10)),
      );
    if (about === "output") assert.match(printed.trim(), patternOf(text.trim()));
    if (language !== "sh") continue;
    for (const line of text.trim().split("\n")) {
      const args = argumentsOf(line).map((one) =>
        one === "rsl_…"
          ? resellerId
          : one === "sup_…"
            ? supplierId
            : one.endsWith(".xml")
              ? join(folder, one)
              : one,
      );
      const { code, stdout, stderr } = await scrip.run(args);
      assert.equal(code, 0, `${line}\n${stderr}`);
      printed = stdout;
      commands += 1;
    }
  }
  assert.ok(commands >= 10, `the guide has ${commands} commands`);
});

/** … stands for what differs from run to run. */
const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", ".+?")}$`);
