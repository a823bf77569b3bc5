import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import sql from "sql-template-tag";
import { type AuditResult, audit } from "../../src/audit/audit.ts";
import type { Db, Tx } from "../../src/db/database.ts";

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
      await tx.rows(sql`set local plan_cache_mode = force_generic_plan`);
      const planned = keepPlans(tx);
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

/** Plans each statement once for a connection: hundreds of audits of small tables would spend most of their time planning. */
const keepPlans = (tx: Tx): Tx => ({
  ...tx,
  rows: (query) => tx.rows(query, { name: createHash("md5").update(query.text).digest("hex") }),
});
