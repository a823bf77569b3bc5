// `npm run soak -- --minutes 10 --seed 1 --callers 24`: steady load, and whether anything grows that should not; then the tests of
// volume at their full size, unless `--no-tests` is set.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { runFullSize } from "../scripts/testing/run-full-size.ts";
import { describeSoak, isClean } from "./report.ts";
import { runSoak } from "./soak.ts";

const MINUTES_MAX = 7 * 24 * 60;
const CALLERS_MAX = 200;
const SLOWNESS_MAX = 1_000;
const USAGE = `usage: npm run soak -- [options]

  --minutes N   how long the load lasts (5)
  --callers N   callers that place orders at the same time, each about four a second (24)
  --slowness N  callers wait N times as long between two requests, for a long run beside other work (1)
  --seed S      decides the load; printed when it is chosen at random
  --no-tests    leave out the tests of volume at their full size
  --help        show this text

Exits with 1 if something grew that must stay flat, or if anything was lost, duplicated or unexplained.`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    callers: { type: "string" },
    slowness: { type: "string" },
    seed: { type: "string" },
    "no-tests": { type: "boolean" },
    help: { type: "boolean" },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const minutes = Number(values.minutes ?? 5);
const callers = Number(values.callers ?? 24);
const slowness = Number(values.slowness ?? 1);
const seed = Number(values.seed ?? randomInt(2 ** 31));
const isSensible =
  minutes > 0 &&
  minutes <= MINUTES_MAX &&
  callers >= 1 &&
  callers <= CALLERS_MAX &&
  slowness >= 1 &&
  slowness <= SLOWNESS_MAX;
if (!isSensible || !Number.isInteger(callers) || !Number.isInteger(seed)) {
  console.error(USAGE);
  process.exit(2);
}
const beganMs = performance.now();
const say = (line: string) =>
  console.log(`${String(Math.round((performance.now() - beganMs) / 1_000)).padStart(5)} s  ${line}`);
say(`seed ${seed}, ${minutes} minutes, ${callers} callers, pauses ${slowness} times as long`);
const result = await runSoak({ durationMs: minutes * 60_000, seed, callers, slowness, say });
console.log(`\n${describeSoak(result, seed, minutes)}`);
const passed = values["no-tests"] === true || (await runFullSize("soak"));
process.exitCode = passed && isClean(result) ? 0 : 1;
