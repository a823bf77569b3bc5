import sql from "sql-template-tag";
import { migrate } from "../../server/src/db/migrate.ts";
import { systemClock as clock } from "../../server/src/lib/clock.ts";
import { secret } from "../../server/src/lib/secret.ts";
import { reconcileSupplier } from "../../server/src/suppliers/reconcile/reconcile-supplier.ts";
import { fixedKeyring } from "../../server/src/vault/keyring.ts";
import {
  addBookedPurchases,
  writeSpoiltStatement,
} from "../../server/testing/upstream/sales/booked-purchases.ts";
import { onBenchDatabase } from "../bench-database.ts";
import { postgresMs, processMs } from "../cpu-time.ts";
import { report } from "../report.ts";

const LINES = 100_000;
const GOAL_SECONDS = 30;
const SUPPLIER_ID = "sup_1";

/** A statement of 100,000 lines is compared with the purchases in under 30 s. */
export const benchReconcile = (): Promise<void> =>
  onBenchDatabase(async ({ db }) => {
    await migrate(db);
    await db.rows(sql`
      insert into suppliers (id, kind, name, sealed_config) values (${SUPPLIER_ID}, 'dtone', 'One', decode('00', 'hex'))`);
    await addBookedPurchases(db, SUPPLIER_ID, LINES);
    await db.rows(sql`analyze supplier_attempts`);
    const statement = Buffer.from(writeSpoiltStatement(LINES));
    const file = (async function* () {
      yield statement;
    })();
    const keyring = fixedKeyring([secret(Buffer.alloc(32))]);
    const cpuMs = async () => (await postgresMs(db)) + processMs(process.pid);
    const [started, cpuBefore] = [performance.now(), await cpuMs()];
    const input = { file, from: undefined, to: undefined };
    const deps = { db, clock, keyring };
    const by = { kind: "command", id: "bench" } as const;
    const { findings, entries } = await reconcileSupplier(deps, SUPPLIER_ID, input, by);
    const seconds = (performance.now() - started) / 1_000;
    const cpuSeconds = ((await cpuMs()) - cpuBefore) / 1_000;
    report(
      "reconcile",
      ["one line in a hundred is wrong: another amount, charged twice, taken back, missing there or here"],
      [
        {
          what: `${entries} lines of a statement against ${LINES} purchases, ${findings.length} findings`,
          measured: `${seconds.toFixed(1)} s, of which ${cpuSeconds.toFixed(1)} s of CPU`,
          goal: `< ${GOAL_SECONDS} s`,
          met: seconds < GOAL_SECONDS,
        },
      ],
    );
  });
