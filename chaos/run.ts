// `npm run chaos`: the service under load while everything around it fails; then the tests of crashes at their full size.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { runFullSize } from "../scripts/testing/run-full-size.ts";
import { runChaos } from "./chaos.ts";
import { describeResult, isClean } from "./report.ts";

const MINUTES_MAX = 24 * 60;
const MINUTES = 2;
const POWER_CUTS_MAX = 10_000;

const HELP = `usage: npm run chaos -- [options]

  --minutes N      how long the faults last, such as 10 or 0.5 (${MINUTES})
  --seed S         decides the faults; printed when it is chosen at random
  --power-cuts N   cut the database's power N times in addition; needs root and loop devices
  --no-fsync       run PostgreSQL with fsync=off: a run with power cuts must then report a loss
  --no-tests       leave out the tests of crashes at their full size
  --help           show this text

Exits with 1 if anything was lost, duplicated or unexplained, or if too little happened to prove that.`;

const fail = (text: string): never => {
  console.error(`${text}\n\n${HELP}`);
  process.exit(2);
};

function readOptions() {
  try {
    return parseArgs({
      options: {
        minutes: { type: "string" },
        seed: { type: "string" },
        "power-cuts": { type: "string" },
        "no-fsync": { type: "boolean" },
        "no-tests": { type: "boolean" },
        help: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

const values = readOptions();
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const minutes = Number(values.minutes ?? MINUTES);
const seed = Number(values.seed ?? randomInt(2 ** 31));
const powerCuts = Number(values["power-cuts"] ?? 0);
if (!(minutes > 0 && minutes <= MINUTES_MAX))
  fail(`--minutes must be above 0 and at most ${MINUTES_MAX}, not ${values.minutes}`);
if (!Number.isInteger(seed)) fail(`--seed must be an integer, not ${values.seed}`);
if (!(Number.isInteger(powerCuts) && powerCuts >= 0 && powerCuts <= POWER_CUTS_MAX))
  fail(`--power-cuts must be an integer from 0 to ${POWER_CUTS_MAX}, not ${values["power-cuts"]}`);

const beganMs = performance.now();
const say = (line: string) =>
  console.log(`${String(Math.round((performance.now() - beganMs) / 1_000)).padStart(5)} s  ${line}`);
say(`seed ${seed}, ${minutes} minutes${powerCuts === 0 ? "" : `, ${powerCuts} more power cuts`}`);
const hasFsync = values["no-fsync"] !== true;
const result = await runChaos({ durationMs: minutes * 60_000, seed, powerCuts, hasFsync, say });
console.log(`\n${describeResult(result, seed, minutes)}`);
if (powerCuts > 0 && !result.canLosePower)
  console.error("power cuts need root and loop devices; none happened");
const isDone = powerCuts === 0 || result.canLosePower;
const passed = values["no-tests"] === true || (await runFullSize("chaos"));
process.exitCode = passed && isDone && isClean(result) ? 0 : 1;
