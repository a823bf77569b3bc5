import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { loadProgram } from "./load.ts";
import type { CallerFigures } from "./order-callers.ts";

const BODY = JSON.stringify({
  lines: [0, 1].map((line) => ({ productId: `card-${line}`, quantity: 1 })),
  reference: "bench",
});

type Input = { url: string; keys: string[]; callers: number; seconds: number };

/** What places the orders. Callers in Node take 20 to 30 µs more of the machine for each order. */
export const callersProgram: "wrk" | "node" = loadProgram === "wrk" ? "wrk" : "node";

/** Callers that each place one order of two lines after another for some seconds, in a separate process. */
export async function placeOrders(input: Input): Promise<CallerFigures> {
  const [file, args] = callersProgram === "wrk" ? wrk(input) : callersInNode(input);
  const { stdout } = await run(file, args);
  const figures = JSON.parse(stdout.slice(stdout.indexOf("{"))) as CallerFigures;
  if (figures.refused > 0) throw new Error(`${figures.refused} orders were refused`);
  return figures;
}

const run = promisify(execFile);
const pathOf = (name: string): string => new URL(name, import.meta.url).pathname;

/** No order should take as long. */
const TIMEOUT = "60s";

const wrk = ({ url, keys, callers, seconds }: Input): [string, string[]] => [
  "wrk",
  [
    ...["-t1", `-c${callers}`, `-d${seconds}s`, "--timeout", TIMEOUT, "-s", pathOf("order-callers.lua"), url],
    ...["--", randomBytes(6).toString("hex"), BODY, ...keys],
  ],
];

const callersInNode = (input: Input): [string, string[]] => [
  process.execPath,
  [pathOf("order-callers.ts"), JSON.stringify({ ...input, body: BODY })],
];
