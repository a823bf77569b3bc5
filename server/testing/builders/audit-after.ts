import assert from "node:assert/strict";
import sql from "sql-template-tag";
import { type AuditResult, audit } from "../../src/audit/audit.ts";
import type { Db, Tx } from "../../src/db/database.ts";

/** The broken invariants by number, with what the audit says of them. */
export type Findings = Record<number, string[]>;

/** What the audit finds once the database has been damaged by hand. All of it is undone again. */
export async function auditAfter(db: Db, damage: (tx: Tx) => Promise<unknown>): Promise<Findings> {
  const undo = new Error("undo");
  let result: AuditResult | undefined;
  await assert.rejects(
    db.transaction(async (tx) => {
      // The level that the audit itself asks for: it cannot be changed once something was written.
      await tx.rows(sql`set transaction isolation level repeatable read`);
      await damage(tx);
      result = await audit({ ...db, rows: tx.rows, transaction: (work) => work(tx) });
      throw undo;
    }),
    undo,
  );
  assert.ok(result);
  const broken = result.invariants.filter(({ ok }) => !ok);
  assert.equal(result.ok, broken.length === 0);
  return Object.fromEntries(broken.map(({ number, violations }) => [number, violations]));
}
