import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startScrip } from "../../testing/processes/run-scrip.ts";

const run = promisify(execFile);

test("the README's five minutes with curl work as pasted", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "scrip-tour-"));
  const running = await startScrip(["--demo", "--no-history"], { DATA_DIR: dataDir });
  try {
    const key = /sc_test_\w+/.exec(running.stdout())?.[0] ?? "";
    const { blocks, outputs } = await paste(await readTour(), key, running.url);
    assert.equal(blocks, 15);
    const [, page, nextPage, product, notModified, placed, replayed, found, codes, ...rest] = outputs;
    const [balance, statement, registered, events, partial, problem] = rest;
    assert.equal(JSON.parse(page ?? "").data.length, 2);
    assert.notEqual(JSON.parse(nextPage ?? "").data[0].id, JSON.parse(page ?? "").data[0].id);
    assert.ok(JSON.parse(product ?? "").product.inputFields.length > 0);
    assert.match(notModified ?? "", /^HTTP\/1.1 304/);
    const { order } = JSON.parse(placed ?? "");
    assert.deepEqual(order.total, { amount: 4650, currency: "USD" });
    assert.match(replayed ?? "", /^idempotent-replayed: true/i);
    assert.equal(JSON.parse(found ?? "").data[0].id, order.id);
    const { orderId, status, data } = JSON.parse(codes ?? "");
    assert.deepEqual([orderId, status, data.length], [order.id, "completed", 2]);
    assert.match(data[0].code, /^TEST-/);
    assert.equal(JSON.parse(balance ?? "").balance.amount, 100_000_000 - 4650);
    assert.deepEqual(
      JSON.parse(statement ?? "").data.map((entry: { type: string }) => entry.type),
      ["order", "deposit"],
    );
    assert.match(JSON.parse(registered ?? "").secret, /^whsec_/);
    assert.equal(JSON.parse(events ?? "").data[0].data.order_id, order.id);
    assert.equal(JSON.parse(partial ?? "").order.status, "pending");
    assert.equal(JSON.parse(problem ?? "").code, "invalid_request");
  } finally {
    await running.stop("SIGTERM");
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** The shell blocks of the tour, in order. */
async function readTour(): Promise<string[]> {
  const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
  const tour = readme.split("## Five minutes with curl")[1]?.split(/^## /m)[0] ?? "";
  return [...tour.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
}

/** One shell runs them all, as a person's would; a line between the blocks tells their outputs apart. */
async function paste(blocks: readonly string[], key: string, url: string) {
  const script = blocks
    .join("\necho; echo ---\n")
    .replace("KEY=sc_test_…", `KEY=${key}`)
    .replace("BASE=http://localhost:8080", `BASE=${url}`);
  const { stdout } = await run("bash", ["-c", script]);
  return { blocks: blocks.length, outputs: stdout.split("---\n") };
}
