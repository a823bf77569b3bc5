import { createHash } from "node:crypto";
import sql from "sql-template-tag";
import type { Db, Tx } from "../../src/db/database.ts";

/**
 * The same database, whose transactions plan each statement once for a connection. For statements that are repeated and take much
 * longer to plan than to run, such as an audit of small tables.
 */
export const keepPlans = (db: Db): Db => ({
  ...db,
  transaction: (work) => db.transaction(async (tx) => work(await keepPlansIn(tx))),
});

/** The same for one transaction. Joins are made as they are written: on small tables, to find a better order costs more than it gains. */
export async function keepPlansIn(tx: Tx): Promise<Tx> {
  // No query: a transaction can still be given its isolation level afterwards.
  await tx.rows(sql`set local plan_cache_mode = force_generic_plan`);
  await tx.rows(sql`set local join_collapse_limit = 1`);
  await tx.rows(sql`set local from_collapse_limit = 1`);
  return {
    ...tx,
    rows: (query) => tx.rows(query, { name: createHash("md5").update(query.text).digest("hex") }),
  };
}
