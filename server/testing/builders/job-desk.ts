import { raw } from "sql-template-tag";
import type { Db } from "../../src/db/database.ts";
import type { JobDeps, JobParams } from "../../src/jobs/job-kind.ts";
import type { JobKindName } from "../../src/jobs/kinds.ts";
import { runNextJob } from "../../src/jobs/run-job.ts";
import { startJob } from "../../src/jobs/start-job.ts";
import { loadServerSecrets } from "../../src/keys/server-secrets.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { createLog, type Log } from "../../src/lib/log.ts";
import { parseAmountLimits } from "../../src/lib/money.ts";
import { secret } from "../../src/lib/secret.ts";
import { createReseller } from "../../src/resellers/create-reseller.ts";
import { createCodeVault } from "../../src/vault/code-vault.ts";
import { fixedKeyring } from "../../src/vault/keyring.ts";
import { TEST_MASTER_KEY } from "../app/test-settings.ts";
import { createTestDatabase } from "../database/test-database.ts";
import { createHandClock } from "../hand-clock.ts";
import { addProducts } from "./builders.ts";
import { addRouteRow, addSupplierRow } from "./supply-builders.ts";

/** What jobs work with on a test database. */
export async function openJobDeps(db: Db, clock: Clock): Promise<JobDeps & { log: Log; logged: string[] }> {
  const keyring = fixedKeyring([secret(TEST_MASTER_KEY)]);
  const logged: string[] = [];
  return {
    db,
    clock,
    keyring,
    codeVault: createCodeVault(keyring),
    secrets: await loadServerSecrets(db, keyring.masterKeys()),
    dualControl: parseAmountLimits("USD:1000.00"),
    announceDeliveries: () => {},
    log: createLog("debug", { write: (line) => void logged.push(line) }),
    logged,
  };
}

export const BY = { actor: { kind: "staff", id: "stf_ana" } } as const;

/** A database with a reseller, a product in a stock and an endpoint, and short ways to start and run jobs. */
export async function openJobDesk() {
  const { db, drop, connectionString } = await createTestDatabase();
  const clock = createHandClock();
  const deps = await openJobDeps(db, clock);
  const reseller = await createReseller(db, clock, { name: "=One", currency: "USD", email: "a@one.example" });
  const tenant = { resellerId: reseller.id, environment: "live" } as const;
  await addProducts(db, [{ id: "card" }]);
  const supplierId = await addSupplierRow(db, { name: "Warehouse" });
  await addRouteRow(db, { productId: "card", supplierId });
  return {
    ...{ db, drop, connectionString, clock, deps, tenant, supplierId },
    start: (kind: JobKindName, params: JobParams = {}, input?: string) =>
      startJob(deps, { kind, params, input: input === undefined ? undefined : Buffer.from(input) }, BY),
    runAll: async () => {
      while (await runNextJob(deps));
    },
    count: async (statement: string) =>
      Number((await db.rows<{ count: bigint }>(raw(`select count(*) as count ${statement}`)))[0]?.count),
  };
}

export async function joinParts(parts: AsyncIterable<string> | string): Promise<string> {
  let text = "";
  for await (const part of parts) text += part;
  return text;
}

export const stockFile = (codes: readonly string[]) => `code\n${codes.join("\n")}\n`;

/** The process died: nothing that it does reaches the database any more. */
export class Crashed extends Error {}

/** A database that stops answering at its n-th effect: before a statement, before a begin or before a commit. */
export function crashAt(db: Db, point: number): { db: Db; passed: () => number } {
  let passed = 0;
  const pass = (): void => {
    passed += 1;
    if (passed >= point) throw new Crashed(`crashed at ${point}`);
  };
  const crashing: Db = {
    ...db,
    rows: async (query, options) => {
      pass();
      return db.rows(query, options);
    },
    transaction: async (work) => {
      pass();
      return db.transaction(async (tx) => {
        const result = await work(tx);
        pass();
        return result;
      });
    },
  };
  return { db: crashing, passed: () => passed };
}
