// `npm run chaos`: the service under load while everything around it fails; then the tests of crashes at their full size.
import { randomInt } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeBundles } from "../scripts/testing/bundle/write-bundles.ts";
import { runFullSize } from "../scripts/testing/run-full-size.ts";
import { BUNDLES, SCRIPTS } from "../server/testing/processes/bundled-script.ts";
import { PLACERS } from "./actors/placers.ts";
import { runChaos } from "./chaos.ts";
import { PARTS } from "./faults.ts";
import { addFigures, describeFigures, type Figures, figuresOf, isClean } from "./report.ts";

const MINUTES_MAX = 24 * 60;
const MINUTES = 2;
const POWER_CUTS_MAX = 10_000;
const PACE_MAX = 20;
/** Many faults are planned, and those that cannot happen in time make room for others. */
const PATIENCE_MS = 20_000;
const CALLERS_MAX = 100;
const PROCESSES = 2;
const PROCESSES_MAX = 6;

const HELP = `usage: npm run chaos -- [options]
       npm run chaos -- --add FILE...

  --minutes N      how long the faults last, such as 10 or 0.5 (${MINUTES})
  --seed S         decides the faults; printed when it is chosen at random
  --pace N         N times as many faults, such as 3 or 0.5 (1)
  --focus PART     mostly faults of the ${PARTS.join(" or of the ")}: they hold each other up, so a run about one has more
  --hosts 2        two database hosts: failovers, and no faults of the disk
  --processes N    API processes, and as many workers (2)
  --placers N      callers that place one order after the other (${PLACERS}); with fewer, more processes can be killed
  --batchers N     callers that place 25 orders with each request (0)
  --power-cuts N   cut the database's power N times in addition; needs root and loop devices, and one host
  --no-fsync       run PostgreSQL with fsync=off: a run with power cuts must then report a loss
  --json FILE      also write the figures to a file
  --add            print the sum of such files, and run nothing
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
      allowPositionals: true,
      options: {
        minutes: { type: "string" },
        seed: { type: "string" },
        pace: { type: "string" },
        focus: { type: "string" },
        hosts: { type: "string" },
        processes: { type: "string" },
        placers: { type: "string" },
        batchers: { type: "string" },
        "power-cuts": { type: "string" },
        "no-fsync": { type: "boolean" },
        json: { type: "string" },
        add: { type: "boolean" },
        "no-tests": { type: "boolean" },
        help: { type: "boolean" },
      },
    });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

const { values, positionals } = readOptions();
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
if (values.add) {
  const files = positionals.map((file) => JSON.parse(readFileSync(file, "utf8")) as Figures);
  const sum = addFigures(files);
  console.log(describeFigures(sum));
  process.exit(Object.values(sum.findings).every((found) => found.length === 0) ? 0 : 1);
}
if (positionals.length > 0) fail(`unknown argument ${positionals[0]}`);

/** A number above the least, up to the most. */
function read(
  name: "minutes" | "pace" | "power-cuts" | "placers" | "batchers" | "processes",
  fallback: number,
  max: number,
): number {
  const number = Number(values[name] ?? fallback);
  const isWhole = name !== "minutes" && name !== "pace";
  if (!(number >= 0 && number <= max && (isWhole ? Number.isInteger(number) : number > 0)))
    fail(
      `--${name} must be ${isWhole ? "an integer from 0" : "above 0 and"} up to ${max}, not ${values[name]}`,
    );
  return number;
}

const minutes = read("minutes", MINUTES, MINUTES_MAX);
const pace = read("pace", 1, PACE_MAX);
const powerCuts = read("power-cuts", 0, POWER_CUTS_MAX);
const placers = read("placers", PLACERS, CALLERS_MAX);
const batchers = read("batchers", 0, CALLERS_MAX);
const processes = read("processes", PROCESSES, PROCESSES_MAX);
if (processes === 0) fail("--processes must be at least 1");
const seed = Number(values.seed ?? randomInt(2 ** 31));
if (!Number.isInteger(seed)) fail(`--seed must be an integer, not ${values.seed}`);
if (!["1", "2"].includes(values.hosts ?? "1")) fail(`--hosts must be 1 or 2, not ${values.hosts}`);
const hasTwoHosts = values.hosts === "2";
const focus = PARTS.find((part) => part === values.focus);
if (values.focus !== undefined && focus === undefined)
  fail(`--focus must be ${PARTS.join(" or ")}, not ${values.focus}`);
if (hasTwoHosts && (powerCuts > 0 || values["no-fsync"])) fail("power cuts need one host");

// What it has started ends with it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));

const beganMs = performance.now();
const say = (line: string) =>
  console.log(`${String(Math.round((performance.now() - beganMs) / 1_000)).padStart(5)} s  ${line}`);
const command = [
  `npm run chaos -- --minutes ${minutes} --seed ${seed}`,
  ...(pace === 1 ? [] : [`--pace ${pace}`]),
  ...(focus === undefined ? [] : [`--focus ${focus}`]),
  ...(hasTwoHosts ? ["--hosts 2"] : []),
  ...(processes === PROCESSES ? [] : [`--processes ${processes}`]),
  ...(placers === PLACERS ? [] : [`--placers ${placers}`]),
  ...(batchers === 0 ? [] : [`--batchers ${batchers}`]),
  ...(powerCuts === 0 ? [] : [`--power-cuts ${powerCuts}`]),
  ...(values["no-fsync"] ? ["--no-fsync"] : []),
].join(" ");
say(command);
// Thousands of processes start, and a bundle starts in a fraction of the time.
const root = join(import.meta.dirname, "..");
process.env[BUNDLES] ??= (await writeBundles(root, { scripts: SCRIPTS, tests: [] })).folder;
const hasFsync = values["no-fsync"] !== true;
const options = {
  seed,
  pace,
  focus,
  patienceMs: PATIENCE_MS,
  hasTwoHosts,
  processes,
  placers,
  batchers,
  powerCuts,
  hasFsync,
};
const result = await runChaos({ durationMs: minutes * 60_000, ...options, say });
const figures = figuresOf(result, `\`${command}\``);
console.log(`\n${describeFigures(figures)}`);
if (values.json) writeFileSync(values.json, JSON.stringify(figures, undefined, 1));
if (powerCuts > 0 && !result.canLosePower)
  console.error("power cuts need root and loop devices; none happened");
const isDone = powerCuts === 0 || result.canLosePower;
delete process.env[BUNDLES];
const passed = values["no-tests"] === true || (await runFullSize("chaos"));
// All of it is closed. A connection that a fault left silent must not hold up the end.
process.exit(passed && isDone && isClean(result) ? 0 : 1);
