import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import sql from "sql-template-tag";
import { audit } from "../../server/src/audit/audit.ts";
import { migrate } from "../../server/src/db/migrate.ts";
import { type BenchDatabase, onBenchDatabase } from "../bench-database.ts";
import { FILL_SETTINGS, fillScale } from "./fill-scale.ts";

const ORDERS = 1_000;

const listParts = ({ db }: BenchDatabase): Promise<{ definition: string }[]> =>
  db.rows(sql`
    select pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
    union all
    select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    order by definition`);

test("a filled database is as the service would have left it", () =>
  onBenchDatabase(async (database) => {
    await fillScale(database, ORDERS);
    const { invariants } = await audit(database.db);
    deepEqual(
      invariants.filter(({ ok }) => !ok),
      [],
    );
    equal(invariants.find(({ number }) => number === 3)?.checked, ORDERS);
    await onBenchDatabase(async (plain) => {
      await migrate(plain.db);
      deepEqual(await listParts(database), await listParts(plain));
    });
  }, FILL_SETTINGS));
