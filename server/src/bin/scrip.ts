import { endAtOnce } from "./end-at-once.ts";
import { programFor } from "./program.ts";
import { runProgram } from "./verb.ts";

endAtOnce();
await runProgram(await programFor(process.argv[2]), process.argv);
