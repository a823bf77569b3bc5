import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { TEST_MASTER_KEY } from "../../testing/app/test-settings.ts";
import { openScripDesk, type ScripDesk } from "../../testing/processes/scrip-desk.ts";
import type { Finished } from "../../testing/processes/spawn-node.ts";

let app: TestApp;
let folder: string;
let scrip: ScripDesk;
let resellerId: string;
let liveKey: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-readme-"));
  await writeFile(join(folder, "master.key"), `${TEST_MASTER_KEY.toString("base64")}\n`, { mode: 0o600 });
  app = await createTestApp();
  scrip = openScripDesk({ DATABASE_URL: app.connectionString, DATA_DIR: folder });
});
after(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

test("scrip demo prints the keys and does not claim that a server is ready", async () => {
  const { stdout } = await scrip.run(["demo", "--no-history"]);
  assert.match(stdout, /^Filled the demo: .* To start the server: scrip start\n/);
  assert.doesNotMatch(stdout, /ready/);
  liveKey = /sc_live_\w+/.exec(stdout)?.[0] ?? "";
  const { data } = await scrip.json<{ data: { id: string }[] }>(["reseller", "list"]);
  resellerId = data[0]?.id ?? "";
});

test("each of the README's operator commands works on the demo, pasted with existing ids", async () => {
  const lines = await readLines();
  assert.ok(lines.length > 40, `${lines.length} lines were found`);
  const replies = new Map<string, Finished>();
  for (const line of lines) {
    const pasted = await withRealIds(line);
    const reply = pasted.startsWith("npx scrip ") ? await runLine(pasted) : await runShell(pasted);
    // The test's PostgreSQL does not wait for the disk, and the doctor says so.
    const isDoctor = line === "npx scrip doctor";
    assert.equal(reply.code, isDoctor ? 1 : 0, `${pasted}: ${reply.stderr}`);
    assert.equal(reply.stderr, "", pasted);
    replies.set(line, reply);
  }
  const price = await app.call("GET", "/v1/products/nimbus-us-10", { key: liveKey });
  assert.equal(price.json().product.price.amount, 960, "the demo reseller sees the new price");
  assert.match(replies.get("npx scrip audit")?.stdout ?? "", /^(ok .*\n)+$/);
  assert.match(
    await readFile(join(folder, "withdrawn.csv"), "utf8"),
    /^code,pin,serial,url,expiresAt\n.+\n.+\n$/,
  );
});

async function readLines(): Promise<string[]> {
  const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
  const section = readme.split("## The operator's command")[1]?.split(/^## /m)[0] ?? "";
  return [...section.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = ""]) => block.trimEnd().split("\n"));
}

/** An order of its own for each line: one that is refunded cannot be held. */
async function withRealIds(line: string): Promise<string> {
  let pasted = line.replaceAll("rsl_…", resellerId);
  if (pasted.includes("ord_…")) pasted = pasted.replaceAll("ord_…", await placeOrder());
  if (!pasted.includes("sup_…")) return pasted;
  const { data } = await scrip.json<{ data: { id: string; name: string }[] }>(["supplier", "list"]);
  return pasted.replaceAll("sup_…", data.find(({ name }) => name === "Upstream")?.id ?? "");
}

let placed = 0;
async function placeOrder(): Promise<string> {
  placed += 1;
  const reply = await app.call("POST", "/v1/orders", {
    key: liveKey,
    headers: { "content-type": "application/json", "idempotency-key": `readme ${placed}` },
    body: JSON.stringify({ lines: [{ productId: "nimbus-us-10", quantity: 1 }] }),
  });
  return reply.json().order.id;
}

/** The words of a line as a shell takes them; what follows `>` is the file that its output goes to. */
async function runLine(line: string): Promise<Finished> {
  const [command = "", file] = line.split(" > ");
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const inFolder = words.slice(2).map((word) => (/^\w+\.(csv|json)$/.test(word) ? join(folder, word) : word));
  const reply = await scrip.run(inFolder);
  if (file !== undefined) await writeFile(join(folder, file), reply.stdout);
  return reply;
}

async function runShell(line: string): Promise<Finished> {
  await promisify(execFile)("bash", ["-c", line], { cwd: folder });
  return { code: 0, stdout: "", stderr: "" };
}
