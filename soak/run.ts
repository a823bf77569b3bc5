// `npm run soak -- --minutes 10 --seed 1`: steady load, and whether anything grows that should not; then the tests of
// volume at their full size, unless `--no-tests` is set.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { runFullSize } from "../scripts/testing/run-full-size.ts";
import { describeSoak, isClean } from "./report.ts";
import { runSoak } from "./soak.ts";

const MINUTES_MAX = 7 * 24 * 60;

const { values } = parseArgs({
  options: { minutes: { type: "string" }, seed: { type: "string" }, "no-tests": { type: "boolean" } },
});
const minutes = Number(values.minutes ?? 5);
const seed = Number(values.seed ?? randomInt(2 ** 31));
if (!(minutes > 0 && minutes <= MINUTES_MAX) || !Number.isInteger(seed)) {
  console.error("usage: npm run soak -- --minutes N --seed S (minutes above 0, an integer for the seed)");
  process.exit(2);
}
const beganMs = performance.now();
const say = (line: string) =>
  console.log(`${String(Math.round((performance.now() - beganMs) / 1_000)).padStart(5)} s  ${line}`);
say(`seed ${seed}, ${minutes} minutes`);
const result = await runSoak({ durationMs: minutes * 60_000, seed, say });
console.log(`\n${describeSoak(result, seed, minutes)}`);
const passed = values["no-tests"] === true || (await runFullSize("soak"));
process.exitCode = passed && isClean(result) ? 0 : 1;
