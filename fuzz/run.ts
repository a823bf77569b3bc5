// `npm run fuzz -- --requests 100000 --seed 1` fuzzes its own server, then runs the tests of random input at their full
// size, unless `--no-tests` is set; `--only N` sends only the Nth request.
import { parseArgs } from "node:util";
import { onBenchDatabase } from "../bench/bench-database.ts";
import { runFullSize } from "../scripts/testing/run-full-size.ts";
import { migrate } from "../server/src/db/migrate.ts";
import { fuzzServer } from "../server/testing/fuzz/fuzz-session.ts";
import { SEED } from "../server/testing/seed.ts";
import { printProgress, printReport } from "./report.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "10000" },
    seed: { type: "string", default: String(SEED) },
    only: { type: "string" },
    "no-tests": { type: "boolean", default: false },
  },
});
const requests = readNumber(values.requests);
const seed = readNumber(values.seed);
const only = values.only === undefined ? undefined : readNumber(values.only);

// Ctrl-C prints the table of what was sent and leaves nothing running.
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

console.log(`fuzzing with --seed ${seed} --requests ${requests}`);
await onBenchDatabase(async ({ db, connectionString }) => {
  await migrate(db);
  const result = await fuzzServer({
    db,
    connectionString,
    seed,
    requests: only === undefined ? requests : Math.max(requests, only + 1),
    only,
    stop: stop.signal,
    onProgress: printProgress(requests),
  });
  printReport(result);
  process.exitCode = result.faults.length > 0 ? 1 : 0;
});
if (only === undefined && !values["no-tests"] && !stop.signal.aborted && !(await runFullSize("fuzz")))
  process.exitCode = 1;

function readNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  console.error(`${text} is not an integer`);
  process.exit(2);
}
