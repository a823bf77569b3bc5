import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { CallerFigures } from "./order-callers.ts";

const BODY = JSON.stringify({
  lines: [0, 1].map((line) => ({ productId: `card-${line}`, quantity: 1 })),
  reference: "bench",
});

/** Places orders of two lines for some seconds, from a separate process. */
export async function placeOrders(input: {
  url: string;
  keys: string[];
  callers: number;
  seconds: number;
}): Promise<CallerFigures> {
  const file = new URL("order-callers.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [
    file,
    JSON.stringify({ ...input, body: BODY }),
  ]);
  const figures = JSON.parse(stdout) as CallerFigures;
  if (figures.refused > 0) throw new Error(`${figures.refused} orders were refused`);
  return figures;
}
