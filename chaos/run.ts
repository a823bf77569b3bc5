// `npm run chaos -- --minutes 10 --seed 1`: the service under load while everything around it fails; then the tests of
// crashes at their full size, unless `--no-tests` is set.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { runFullSize } from "../scripts/testing/run-full-size.ts";
import { runChaos } from "./chaos.ts";
import { describeResult, isClean } from "./report.ts";

const MINUTES_MAX = 24 * 60;

const { values } = parseArgs({
  options: { minutes: { type: "string" }, seed: { type: "string" }, "no-tests": { type: "boolean" } },
});
const minutes = Number(values.minutes ?? 2);
const seed = Number(values.seed ?? randomInt(2 ** 31));
if (!(minutes > 0 && minutes <= MINUTES_MAX) || !Number.isInteger(seed)) {
  console.error(
    "usage: npm run chaos -- --minutes N --seed S (both whole or decimal numbers, minutes above 0)",
  );
  process.exit(2);
}
const beganMs = performance.now();
const say = (line: string) =>
  console.log(`${String(Math.round((performance.now() - beganMs) / 1_000)).padStart(5)} s  ${line}`);
say(`seed ${seed}, ${minutes} minutes`);
const result = await runChaos({ durationMs: minutes * 60_000, seed, say });
console.log(`\n${describeResult(result, seed, minutes)}`);
const passed = values["no-tests"] === true || (await runFullSize("chaos"));
process.exitCode = passed && isClean(result) ? 0 : 1;
