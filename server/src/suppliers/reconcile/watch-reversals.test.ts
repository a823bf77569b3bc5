import assert from "node:assert/strict";
import { after, test } from "node:test";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { createTestDatabase } from "../../../testing/database/test-database.ts";
import { createHandClock } from "../../../testing/hand-clock.ts";
import { createLog } from "../../lib/log.ts";
import { type RemoteSupplier, type StatementEntry, SupplierUnreadable } from "../supplier.ts";
import { watchNextReversals } from "./watch-reversals.ts";

const { db, drop } = await createTestDatabase();
after(drop);
const clock = createHandClock(new Date("2030-01-01T00:00:00Z"));

test("books that cannot be read are warned about each hour, by the supplier's id, until they can be", async () => {
  const readable = await addSupplierRow(db, { kind: "dtone" });
  const broken = await addSupplierRow(db, { kind: "dtone" });
  const lines: string[] = [];
  const log = createLog("debug", { write: (line) => void lines.push(line) });
  let isBroken = true;
  async function* readStatement(): AsyncIterable<readonly StatementEntry[]> {
    yield [];
    if (isBroken) throw new SupplierUnreadable("nonsense");
  }
  async function* readNothing(): AsyncIterable<readonly StatementEntry[]> {
    yield [];
  }
  const openSupplier = async (id: string) => {
    const supplier = {
      readStatement: id === broken ? readStatement : readNothing,
    } as Partial<RemoteSupplier>;
    return { supplier: supplier as RemoteSupplier, hasFailed: false };
  };
  const warnings = async () => {
    lines.length = 0;
    while (await watchNextReversals({ db, clock, log, openSupplier }));
    return lines.map((line) => {
      const { time: _, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
      assert.match(String(msg), /books could not be read/);
      return rest;
    });
  };
  const warning = { level: "warn", supplierId: broken, reason: "nonsense" };
  assert.deepEqual(await warnings(), [warning]);
  assert.deepEqual(await warnings(), [], `${readable} and ${broken} were read just now`);
  clock.advance(3_600_000);
  assert.deepEqual(await warnings(), [warning]);
  isBroken = false;
  clock.advance(3_600_000);
  assert.deepEqual(await warnings(), []);
});
