import assert from "node:assert/strict";
import { after, test } from "node:test";
import { BY, joinParts, openJobDesk } from "../../testing/builders/job-desk.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { confirmJob } from "./change-job.ts";
import type { JobParams } from "./job-kind.ts";
import type { FaultGroup } from "./kinds/collect-faults.ts";
import type { JobKindName } from "./kinds.ts";
import { downloadResult, getJob } from "./list-jobs.ts";

/** One row in a hundred is odd. */
const ROWS = sizeFor("soak", { share: 4_000, full: 200_000 });
const ODD_EVERY = 100;
const ODD = ROWS / ODD_EVERY;
const MINUTES_MAX = 5;
const MEMORY_MAX_MB = 1_500;

const { db, drop, deps, start, runAll, count } = await openJobDesk();
after(drop);

const file = (head: string, row: (index: number, isOdd: boolean) => string): string =>
  `${head}\n${Array.from({ length: ROWS }, (_, index) => row(index, index % ODD_EVERY === ODD_EVERY - 1)).join("\n")}\n`;

type Case = {
  kind: JobKindName;
  params?: JobParams;
  text: string;
  column: string;
  reason: RegExp;
  good: (result: Readonly<Record<string, unknown>>) => number;
};

const CASES: readonly Case[] = [
  {
    kind: "import_catalog",
    text: file(
      "id,name,faceValue.amount,faceValue.currency",
      (index, isOdd) => `p-${index},Product ${index},${isOdd ? '"10,0"' : "10"},USD`,
    ),
    column: "faceValue.amount",
    reason: /must be a plain decimal/,
    good: ({ created }) => Number(created),
  },
  {
    kind: "import_prices",
    text: file(
      "product,list,currency,amount",
      (index, isOdd) =>
        `p-${index % ODD_EVERY === ODD_EVERY - 1 ? index - 1 : index},l,USD,${isOdd ? "x9" : "9.50"}`,
    ),
    column: "amount",
    reason: /"x9" is not an amount; write it like 25\.00/,
    good: ({ created }) => Number(created),
  },
  {
    kind: "import_stock",
    params: { productId: "card", cost: "8.10" },
    text: file("code,expiresAt", (index, isOdd) => `CODE-${index},${isOdd ? "31.12.2040" : "2040-12-31"}`),
    column: "expiresAt",
    reason: /is neither a date such as/,
    good: ({ imported }) => Number(imported),
  },
  {
    kind: "import_deposits",
    text: file(
      "date,amount,currency,text,payer,id",
      (index, isOdd) =>
        `2030-01-31,${isOdd ? '"1.000,50"' : "500.00"},EUR,Payment ${index} of an order,Payer ${index},T${index}`,
    ),
    column: "amount",
    reason: /"1\.000,50" has a comma; write the amount like 1000\.00/,
    good: ({ counts }) => Number((counts as Record<string, number>).no_reference),
  },
];

for (const { kind, params = {}, text, column, reason, good } of CASES)
  test(`${kind}: a file of ${ROWS} rows with one odd in a hundred previews the good ones and names each odd one`, async (t) => {
    const startedAt = performance.now();
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 50);
    t.after(() => clearInterval(watch));
    const id = await start(kind, { ...params, preview: true }, text);
    await runAll();
    const preview = await getJob(db, id);
    assert.equal(preview.state, "ready", preview.error ?? deps.logged.at(-1)?.slice(0, 500));
    const previewedAt = performance.now();
    const groups = preview.result?.groups as FaultGroup[];
    assert.deepEqual(
      groups.map((group) => [group.count, group.lines[0]]),
      [[ODD, ODD_EVERY + 1]],
      "equal faults are one sentence",
    );
    assert.match(groups[0]?.reason ?? "", reason);
    const listed = (await joinParts((await downloadResult(db, id)).body)).trimEnd().split("\r\n").slice(1);
    assert.equal(listed.length, ODD);
    assert.ok(listed.every((line, index) => line.startsWith(`${(index + 1) * ODD_EVERY + 1},`)));
    assert.ok(listed.every((line) => line.includes(`${column}: `)));
    assert.equal(good(preview.result ?? {}), ROWS - ODD);
    await confirmJob(deps, id, BY);
    await runAll();
    const { state, result } = await getJob(db, id);
    assert.equal(state, "succeeded");
    assert.deepEqual([good(result ?? {}), result?.faults], [ROWS - ODD, ODD]);
    const endedAt = performance.now();
    t.diagnostic(
      `${kind}: ${text.length} bytes, preview ${Math.round(previewedAt - startedAt)} ms, import ${Math.round(endedAt - previewedAt)} ms, ${Math.round(peak / 1e6)} MB`,
    );
    assert.ok(endedAt - startedAt < MINUTES_MAX * 60_000);
    assert.ok(peak / 1e6 < MEMORY_MAX_MB, `${peak / 1e6} MB`);
  });

test("what was taken is there, once", async () => {
  assert.equal(await count("from codes where state = 'stock' and batch_id is not null"), ROWS - ODD);
  assert.equal(await count("from products where id like 'p-%'"), ROWS - ODD);
  assert.equal(await count("from list_prices"), ROWS - ODD);
});
