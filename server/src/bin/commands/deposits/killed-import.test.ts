import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp } from "../../../../testing/app/test-app.ts";
import { TEST_MASTER_KEY } from "../../../../testing/app/test-settings.ts";
import { countWaiting } from "../../../../testing/database/count-waiting.ts";
import { bankCsv } from "../../../../testing/deposits/deposit-desk.ts";
import { eventually } from "../../../../testing/eventually.ts";
import { SCRIP_COMMAND, spawnNode } from "../../../../testing/processes/spawn-node.ts";
import { audit } from "../../../audit/audit.ts";
import { lockDeposit } from "../../../deposits/deposit-queries.ts";
import { requestDeposit } from "../../../deposits/request-deposit.ts";
import { findWallet, lockWallet } from "../../../wallet/queries.ts";

const TIMEOUT_MS = 60_000;
const folder = await mkdtemp(join(tmpdir(), "scrip-killed-"));
const app = await createTestApp();
const { db, clock } = app;
after(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

test("kill -9 of an import before the line, before the entry and before nothing: the deposit is credited once", async () => {
  await writeFile(join(folder, "master.key"), `${TEST_MASTER_KEY.toString("base64")}\n`, { mode: 0o600 });
  const tenant = { resellerId: (await app.addReseller()).id, environment: "live" } as const;
  const by = { actor: { kind: "command", id: "scrip" } } as const;
  const { deposit } = await requestDeposit({ db, clock }, tenant, { amountMinor: 10_000n }, by);
  const file = join(folder, "statement.csv");
  await writeFile(file, bankCsv([["2030-01-02", "100.00", "USD", deposit.reference]]));
  const env = { PATH: process.env.PATH ?? "", DATABASE_URL: app.connectionString, DATA_DIR: folder };
  const start = () =>
    spawnNode(SCRIP_COMMAND, ["deposit", "import", file, "--apply"], { env, timeoutMs: TIMEOUT_MS });
  const state = async () => ({
    balance: (await findWallet(db, tenant))?.balanceMinor,
    lines: (await db.rows(sql`select from bank_lines`)).length,
  });
  // The first lock stops it before it has written anything, the second after line and status, before the entry.
  for (const lock of [
    (tx: Parameters<typeof lockDeposit>[0]) => lockDeposit(tx, deposit.id),
    (tx: Parameters<typeof lockDeposit>[0]) => lockWallet(tx, tenant),
  ])
    await db.transaction(async (tx) => {
      await lock(tx);
      const { process: child, finished } = start();
      await eventually("the import that waits", async () =>
        (await countWaiting(db)) > 0 ? true : undefined,
      );
      child.kill("SIGKILL");
      await finished;
    });
  await eventually("the end of its connection", async () =>
    (await countWaiting(db)) === 0 ? true : undefined,
  );
  assert.deepEqual(await state(), { balance: 0n, lines: 0 });
  assert.equal((await start().finished).code, 0);
  assert.deepEqual(await state(), { balance: 10_000n, lines: 1 });
  assert.ok((await audit(db)).ok);
});
