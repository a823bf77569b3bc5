import { programFor } from "./program.ts";
import { runProgram } from "./verb.ts";

await runProgram(await programFor(process.argv[2]), process.argv);
