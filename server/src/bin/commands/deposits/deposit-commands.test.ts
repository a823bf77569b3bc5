import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../../../testing/app/test-app.ts";
import { TEST_MASTER_KEY } from "../../../../testing/app/test-settings.ts";
import { bankCsv } from "../../../../testing/deposits/deposit-desk.ts";
import { openScripDesk, type ScripDesk } from "../../../../testing/processes/scrip-desk.ts";
import { showReference } from "../../../deposits/reference.ts";

type Deposit = { id: string; status: string; reference: string; receivedAmount?: number; entryId?: string };
type Imported = {
  isApplied: boolean;
  counts: Record<string, number>;
  rows: { row: number; result: string; detail: string }[];
  deposits: { depositId: string; outcome: string }[];
};

let app: TestApp;
let folder: string;
let scrip: ScripDesk;
let key: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-deposits-"));
  await writeFile(join(folder, "master.key"), `${TEST_MASTER_KEY.toString("base64")}\n`, { mode: 0o600 });
  app = await createTestApp();
  const env = { DATABASE_URL: app.connectionString, DATA_DIR: folder, CONSOLE_DUAL_CONTROL_ABOVE: "1000" };
  scrip = openScripDesk(env);
  key = (await app.addKey((await app.addReseller()).id)).key;
});
after(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

const request = async (amount: number): Promise<Deposit> => {
  const headers = { "content-type": "application/json" };
  const reply = await app.call("POST", "/v1/deposits", { key, headers, body: JSON.stringify({ amount }) });
  return reply.json().deposit;
};
const balance = async (): Promise<number> =>
  (await app.call("GET", "/v1/balance", { key })).json().balance.amount;

test("a deposit is received, credited once and listed; another is rejected", async () => {
  const one = await request(50_000);
  const byReference = showReference(one.reference).toLowerCase();
  const received = await scrip.json<Deposit>(["deposit", "receive", byReference, "--amount", "499.50"]);
  assert.deepEqual([received.status, received.receivedAmount], ["received", 49_950]);
  const credited = await scrip.json<Deposit>(["deposit", "credit", one.id]);
  assert.equal(credited.status, "credited");
  assert.match(credited.entryId ?? "", /^ent_/);
  const again = await scrip.run(["deposit", "credit", one.id]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /credited already/);
  assert.equal(await balance(), 49_950);
  const other = await request(100);
  assert.equal((await scrip.run(["deposit", "reject", other.id])).code, 2);
  const reason = ["--reason", "The payment came back"];
  assert.equal((await scrip.json<Deposit>(["deposit", "reject", other.id, ...reason])).status, "rejected");
  const { data } = await scrip.json<{ data: Deposit[] }>(["deposit", "list"]);
  assert.deepEqual(
    data.map(({ id, status }) => [id, status]),
    [
      [other.id, "rejected"],
      [one.id, "credited"],
    ],
  );
  assert.match(
    (await scrip.run(["deposit", "list", "--status", "credited"])).stdout,
    /RECEIVED[\s\S]*499\.50/,
  );
  assert.equal((await scrip.run(["deposit", "list", "--status", "paid"])).code, 2);
  assert.match((await scrip.run(["deposit", "show", one.id])).stdout, /0\.50 USD less than requested/);
  assert.equal((await scrip.run(["deposit", "show", "dep_none"])).code, 1);
});

test("above the limit the command receives, and leaves the credit to two people", async () => {
  const { id } = await request(100_001);
  await scrip.json(["deposit", "receive", id]);
  const { code, stderr } = await scrip.run(["deposit", "credit", id]);
  assert.equal(code, 1);
  assert.match(stderr, /takes two people/);
});

test("a statement is shown first, and applied once", async () => {
  const before = await balance();
  const exact = await request(10_000);
  const partial = await request(10_000);
  const file = join(folder, "statement.csv");
  await writeFile(
    file,
    bankCsv([
      ["2030-01-02", "100.00", "USD", exact.reference],
      ["2030-01-02", "99.00", "USD", partial.reference],
      ["2030-01-02", '"1,00"', "USD", partial.reference],
    ]),
  );
  const shown = await scrip.json<Imported>(["deposit", "import", file]);
  assert.deepEqual(shown.counts, { exact: 1, partial: 1, bad_row: 1 });
  assert.equal(await balance(), before);
  assert.match((await scrip.run(["deposit", "import", file])).stdout, /Nothing was changed\. Add --apply/);
  const applied = await scrip.json<Imported>(["deposit", "import", file, "--apply"]);
  assert.deepEqual(
    applied.deposits.map(({ depositId, outcome }) => [depositId, outcome]),
    [
      [exact.id, "credited"],
      [partial.id, "received"],
    ],
  );
  const again = await scrip.json<Imported>(["deposit", "import", file, "--apply"]);
  assert.deepEqual([again.counts, again.deposits], [{ already_recorded: 2, bad_row: 1 }, []]);
  assert.equal(await balance(), before + 10_000);
  assert.equal((await scrip.run(["deposit", "import", file, "--rows", "3"])).code, 2);
  assert.equal((await scrip.run(["deposit", "import", join(folder, "none.csv")])).code, 1);
  assert.equal((await scrip.run(["audit"])).code, 0);
});
