import { buildProgram } from "./program.ts";
import { runProgram } from "./verb.ts";

await runProgram(await buildProgram(process.argv[2]), process.argv);
