import assert from "node:assert/strict";
import sql from "sql-template-tag";
import { type AuditResult, audit } from "../../src/audit/audit.ts";
import type { Db, Tx } from "../../src/db/database.ts";
import { keepPlansIn } from "../database/keep-plans.ts";

/** The violated invariants by number, with the audit's messages. */
export type Findings = Record<number, string[]>;

/** What the audit finds after the database was damaged. The damage is rolled back. */
export async function auditAfter(db: Db, damage: (tx: Tx) => Promise<unknown>): Promise<Findings> {
  const undo = new Error("undo");
  let result: AuditResult | undefined;
  await assert.rejects(
    db.transaction(async (tx) => {
      // The level that the audit itself sets. It cannot be changed after a write.
      await tx.rows(sql`set transaction isolation level repeatable read`);
      await damage(tx);
      const planned = await keepPlansIn(tx);
      result = await audit({ ...db, rows: planned.rows, transaction: (work) => work(planned) });
      throw undo;
    }),
    undo,
  );
  assert.ok(result);
  const broken = result.invariants.filter(({ ok }) => !ok);
  assert.equal(result.ok, broken.length === 0);
  return Object.fromEntries(broken.map(({ number, violations }) => [number, violations]));
}
