import assert from "node:assert/strict";
import { test } from "node:test";
import { sizeFor } from "../server/testing/full-size.ts";
import { SEED } from "../server/testing/seed.ts";
import { wideTest } from "../server/testing/wide-test.ts";
import { PLACERS } from "./actors/placers.ts";
import { runChaos } from "./chaos.ts";
import { FAULT_NAMES, planFaults } from "./faults.ts";
import { describeFigures, figuresOf, isFaultless } from "./report.ts";

/** A short run with this many faults and callers; `npm run chaos` is the long one. */
const { faults: FAULTS, placers } = sizeFor("chaos", {
  share: { faults: 5, placers: PLACERS },
  full: { faults: 5, placers: PLACERS },
});
const DURATION_MS = (planFaults(SEED, 60_000)[FAULTS]?.atMs ?? 60_000) - 1;

wideTest(
  `while processes, database and connections fail, nothing is lost, duplicated or unexplained (SEED=${SEED})`,
  async (t) => {
    const result = await runChaos({ durationMs: DURATION_MS, seed: SEED, placers, say: () => {} });
    const table = describeFigures(figuresOf(result, `seed ${SEED}`));
    t.diagnostic(table);
    assert.ok(isFaultless(result), table);
    // A short run does not have to cover everything that a long one must, least of all on a busy machine.
    const struck = [...result.faults.values()].reduce((sum, count) => sum + count, 0);
    const placed = [...result.recorder.wanted.values()].filter(({ told }) => told).length;
    assert.ok(struck >= FAULTS - 2 && placed >= 50, table);
  },
);

test("the seed alone decides the faults, and a long run has all of them", () => {
  assert.deepEqual(planFaults(7, 600_000), planFaults(7, 600_000));
  const plans = [false, true].flatMap((hasTwoHosts) => planFaults(7, 600_000, { hasTwoHosts }));
  const names = new Set(plans.map(({ name }) => name));
  assert.deepEqual([...names].sort(), [...FAULT_NAMES].sort());
  const isKill = ({ name }: { name: string }) => name === "kill -9 of PostgreSQL";
  const [plain, focused] = [undefined, "database" as const].map(
    (focus) => planFaults(7, 600_000, { focus }).filter(isKill).length,
  );
  assert.ok((focused ?? 0) > 1.5 * (plain ?? 0), `${focused} kills of the database instead of ${plain}`);
});
