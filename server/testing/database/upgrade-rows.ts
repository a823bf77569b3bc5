import { readdir, readFile } from "node:fs/promises";
import { raw } from "sql-template-tag";
import type { Db, Tx } from "../../src/db/database.ts";

const MIGRATIONS = new URL("../../migrations/", import.meta.url);

/**
 * Puts rows into a schema as it was before the migration `first`, applies the migrations up to `last`, and looks at what has
 * become of them. The schema is gone afterwards.
 */
export async function upgradeRows(
  db: Db,
  { first, last, rows }: { first: string; last: string; rows: string },
  check: (tx: Tx) => Promise<void>,
): Promise<void> {
  const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).sort();
  const apply = async (tx: Tx, names: string[]) => {
    for (const name of names) await tx.rows(raw(await readFile(new URL(name, MIGRATIONS), "utf8")));
  };
  await db.transaction(async (tx) => {
    await tx.rows(raw("create schema earlier; set local search_path = earlier"));
    await apply(
      tx,
      files.filter((name) => name < first),
    );
    await tx.rows(raw(rows));
    await apply(
      tx,
      files.filter((name) => name >= first && name <= last),
    );
    await check(tx);
    await tx.rows(raw("drop schema earlier cascade"));
  });
}
