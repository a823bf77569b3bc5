// `npm run fuzz` sends malformed and hostile requests to its own server, then runs the tests of random input at their full size.
import { onBenchDatabase } from "../bench/bench-database.ts";
import { runFullSize } from "../scripts/testing/run-full-size.ts";
import { endAtOnce } from "../server/src/bin/end-at-once.ts";
import { migrate } from "../server/src/db/migrate.ts";
import { fuzzServer } from "../server/testing/fuzz/fuzz-session.ts";
import { SEED } from "../server/testing/seed.ts";
import { HELP, readOptions } from "./options.ts";
import { printProgress, printResult } from "./report.ts";

endAtOnce();
const read = readOptions(process.argv.slice(2), SEED);
if (read === "help") {
  console.log(HELP);
  process.exit(0);
}
if ("error" in read) {
  console.error(`${read.error}; npm run fuzz -- --help lists the options`);
  process.exit(2);
}
const { seed, runs, only, tests } = read;

// Ctrl-C prints the table of what was sent and leaves nothing running.
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

/** No power is cut here, so nothing has to survive one. */
const UNSAFE_WRITES = { fsync: "off", full_page_writes: "off" };

for (const { surface, requests } of runs)
  console.log(`fuzzing with --surface ${surface} --seed ${seed} --requests ${requests}`);
await onBenchDatabase(async ({ db, connectionString }) => {
  await migrate(db);
  const session = { db, connectionString, seed, runs, only, stop: stop.signal, onProgress: printProgress() };
  const isClean = printResult(await fuzzServer(session));
  if (!isClean) process.exitCode = 1;
}, UNSAFE_WRITES);
if (only === undefined && tests && !stop.signal.aborted && !(await runFullSize("fuzz"))) process.exitCode = 1;
