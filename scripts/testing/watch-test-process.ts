// Preloaded into each process of tests: one whose tests are done and that does not end is ended, and is a failure. Without
// this a test that leaves a server open would hold up the run for ever.
import "./follow-tests.ts";
import "../../server/testing/processes/resolve-sources.ts";
import { CPU_FILE, leaveCpuTime } from "./cpu-times.ts";
import { endDescendants } from "./end-descendants.ts";

// Not imported above, where it would be loaded before anything is run.
const { after } = await import("node:test");
const DEFAULT_LINGER_MS = 30_000;
const lingerMs = Number(process.env.SCRIP_TEST_LINGER_MS ?? DEFAULT_LINGER_MS);

// Processes that a test forks would preload this as well.
const own = process.execArgv.indexOf(import.meta.filename);
if (own > 0) process.execArgv.splice(own - 1, 2);

// Taken out of the environment: processes that a test starts count as part of it.
const cpuFile = process.env[CPU_FILE];
delete process.env[CPU_FILE];
/** A group calls this when its files are loaded, and when the tests of each are done. */
export const leaveCost = (path: string): void => {
  if (cpuFile !== undefined) leaveCpuTime(cpuFile, path);
};

/**
 * Ends without freeing what is left, as `endAtOnce` does in the product: Node can wait there for ever although all tests are done. Whoever
 * else listens for the end comes first.
 */
process.once("exit", (code) => {
  leaveCost(process.argv[1] ?? "");
  for (const listener of process.listeners("exit")) listener.call(process, code);
  (process as unknown as { reallyExit(code: number): never }).reallyExit(Number(process.exitCode ?? code));
});

after(() => {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(", ");
    console.error(
      `${process.argv[1]}: the tests are done and the process did not end within ${lingerMs} ms; open: ${open}`,
    );
    endDescendants();
    process.exit(1);
  }, lingerMs).unref();
});
