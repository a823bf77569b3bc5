// `npm run mutate`: puts mistakes into a copy of the code, one at a time, and sees whether the tests notice.
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { makeMemoryFolder } from "../scripts/testing/memory-folder.ts";
import type { Mutant } from "./mutant.ts";
import { AREAS } from "./mutants.ts";
import { type MutantResult, MutantsUnfit, mutate } from "./mutate.ts";
import { describeProgress, describeResults, isEnough, KILLED_PERCENT_MIN } from "./report.ts";

const LIMIT_MS = 120_000;
const HELP = `npm run mutate -- [options]: puts mistakes into a copy of the code, one at a time, and runs the tests that
should notice. Exits with 1 when fewer than ${KILLED_PERCENT_MIN} % are noticed, or when a mutant no longer fits its file.

  --only TEXT     only mutants whose name, file or area contains the text; can be repeated
  --no-check      do not run the tests without a mutant first
  --list          print the mutants and stop
  --help          print this text and stop`;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    "no-check": { type: "boolean" },
    list: { type: "boolean" },
    help: { type: "boolean" },
  },
});
const mutants = AREAS.flatMap((area) => area.mutants.filter((mutant) => isChosen(area.title, mutant)));
if (values.help) console.log(HELP);
else if (values.list) for (const { name, file, why } of mutants) console.log(`${name}  ${file}  ${why}`);
else if (mutants.length === 0) {
  console.error("No mutant matches. npm run mutate -- --list prints them all.");
  process.exitCode = 2;
} else
  await run().catch((error: unknown) => {
    if (!(error instanceof MutantsUnfit)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  });

function isChosen(area: string, { name, file }: Mutant): boolean {
  return values.only === undefined || values.only.some((text) => `${area} ${name} ${file}`.includes(text));
}

async function run(): Promise<void> {
  keepFilesApart();
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  const results: MutantResult[] = [];
  await mutate({
    source: dirname(import.meta.dirname),
    mutants,
    checkFirst: values["no-check"] !== true,
    limitMs: LIMIT_MS,
    stop: stop.signal,
    say: (line) => console.log(line),
    onResult(result) {
      results.push(result);
      console.log(describeProgress(results, mutants.length));
    },
  });
  console.log(`\n${describeResults(AREAS, results)}`);
  process.exitCode = isEnough(results) && !stop.signal.aborted ? 0 : 1;
}

/** In memory where there is room: a database is created and dropped for each file of tests. */
function keepFilesApart(): void {
  const folder = makeMemoryFolder();
  if (folder === undefined) return;
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}
