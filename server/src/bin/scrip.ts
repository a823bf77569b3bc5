import { keepCompiled } from "./keep-compiled.ts";

// Before anything else is loaded: it holds for what comes after it.
keepCompiled();
const [{ buildProgram }, { runProgram }] = await Promise.all([import("./program.ts"), import("./verb.ts")]);
await runProgram(await buildProgram(process.argv[2]), process.argv);
