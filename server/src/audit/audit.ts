import sql from "sql-template-tag";
import type { Db, Tx } from "../db/database.ts";
import { collectChanges } from "./collect-changes.ts";
import { changedSince, type Extent, WHOLE } from "./extent.ts";
import type { Invariant } from "./invariant.ts";
import { invariants } from "./invariants.ts";
import { findProof, findSettledBefore, insertProof, type Proof } from "./proof-queries.ts";

export type AuditedInvariant = {
  number: number;
  name: string;
  ok: boolean;
  checked: number;
  violations: string[];
};
export type AuditResult = { ok: boolean; invariants: AuditedInvariant[] };

const VIOLATIONS_SHOWN_MAX = 100;
/** For each sort and each table of a join: with the default of 4 MB, those of a day with many orders go to the disk. */
const WORK_MEM = "32MB";

export type Progress = (done: number, total: number) => void;

/** Checks the invariants on the running database, all of it on one snapshot, during concurrent writes. Keeps nothing. */
export const audit = (db: Db, onProgress: Progress = () => {}): Promise<AuditResult> =>
  db.transaction(async (tx) => {
    await tx.rows(sql`set transaction isolation level repeatable read, read only`);
    return proveAll(tx, onProgress);
  });

export type Proving = AuditResult & {
  /** From when on it checked, if it continued a proof. */
  since: Date | undefined;
  /** What it proved, if everything holds. */
  proofId: bigint | undefined;
};

/**
 * The same for what can have changed since the newest proof, or for everything if there is none or `isFull`. A run that finds
 * nothing leaves a proof, which counts once it is adopted.
 */
export const continueAudit = (
  db: Db,
  { isFull = false, onProgress = () => {} }: { isFull?: boolean; onProgress?: Progress },
): Promise<Proving> =>
  db.transaction(async (tx) => {
    await tx.rows(sql`set transaction isolation level repeatable read`);
    const proof = isFull ? undefined : await findProof(tx);
    const settledBefore = await findSettledBefore(tx);
    if (proof) await collectChanges(tx, proof);
    const result = await proveAll(tx, onProgress, proof);
    const extent = proof ? changedSince(proof) : WHOLE;
    const proofId = result.ok ? await insertProof(tx, extent, proof, settledBefore) : undefined;
    return { ...result, since: proof?.settledBefore, proofId };
  });

async function proveAll(tx: Tx, onProgress: Progress, proof?: Proof): Promise<AuditResult> {
  await tx.rows(sql`select set_config('work_mem', ${WORK_MEM}, true)`);
  // Each query covers whole tables. With stale statistics PostgreSQL underestimates nested loops, and a query
  // would take hours. What has changed since a proof was counted a moment ago.
  if (!proof) await tx.rows(sql`set local enable_nestloop = off`);
  const extent = proof ? changedSince(proof) : WHOLE;
  const results: AuditedInvariant[] = [];
  for (const invariant of invariants) {
    results.push(await prove(tx, invariant, extent));
    onProgress(results.length, invariants.length);
  }
  return { ok: results.every((result) => result.ok), invariants: results };
}

async function prove(tx: Tx, invariant: Invariant, extent: Extent): Promise<AuditedInvariant> {
  const { number, name } = invariant;
  const [counted] = await tx.rows<{ count: bigint }>(invariant.count(extent));
  const found = await tx.rows<{ violation: string }>(
    sql`select violation from (${invariant.violations(extent)}) as found
        order by violation collate "C" limit ${VIOLATIONS_SHOWN_MAX}`,
  );
  return {
    number,
    name,
    ok: found.length === 0,
    checked: Number(counted?.count ?? 0),
    violations: found.map((row) => row.violation),
  };
}
