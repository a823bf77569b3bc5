import { escapeText } from "../../lib/escape-text.ts";
import { startFileProgress } from "../output/progress.ts";

/** Prints one line on standard error. */
export const tell = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

type Fault = { line: number; id?: string; reason: string };
type Refusal = { ok: false; faults: number };

export type ImportListener = {
  onFault(fault: Fault): void;
  onProgress(rows: number): void;
  onBytes(bytes: number): void;
};

/** Imports a file: shows progress, names every invalid row, and fails if there was one. */
export async function importFile<Result extends { ok: boolean }>(
  file: string,
  what: string,
  run: (listener: ImportListener) => Promise<Result>,
): Promise<Exclude<Result, Refusal>> {
  const progress = await startFileProgress(file, what);
  try {
    const result = await run({
      ...progress,
      onFault(fault) {
        progress.end();
        tell(describeFault(fault));
      },
    });
    if (!isRefusal(result)) return result as Exclude<Result, Refusal>;
    throw new Error(`nothing was imported: ${result.faults} invalid row(s) in ${file}`);
  } finally {
    progress.end();
  }
}

const isRefusal = (result: { ok: boolean }): result is Refusal => !result.ok;

const describeFault = ({ line, id, reason }: Fault): string =>
  `line ${line}${id === undefined ? "" : ` (${escapeText(id)})`}: ${escapeText(reason)}`;

/** The result of an import, for people. */
export const showCounts = (counts: { created: number; updated: number; unchanged: number }): string =>
  `created ${counts.created}, updated ${counts.updated}, unchanged ${counts.unchanged}`;
