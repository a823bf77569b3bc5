// Loaded into the fuzzed server with --import: at SIGUSR2 it collects all garbage and appends the size of what is left to a file.
import { appendFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const file = process.env.SCRIP_FUZZ_HEAP ?? "";

process.on("SIGUSR2", () => {
  collect();
  appendFileSync(file, `${process.memoryUsage().heapUsed}\n`);
});
