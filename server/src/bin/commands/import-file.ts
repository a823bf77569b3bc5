import { escapeText } from "../../lib/escape-text.ts";
import { startFileProgress } from "../output/progress.ts";
import { tellWarning } from "../verb.ts";

/** Prints one line on standard error. */
export const tell = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

type Fault = { line: number; id?: string; reason: string };
type Refusal = { ok: false; faults: number };
type Taken = { ok: true; faults?: number };

/** What an option of an import says, and its help. */
export const TAKE_GOOD = ["--take-good", "leave invalid rows out, name them, and import the others"] as const;

export type ImportListener = {
  onFault(fault: Fault): void;
  onProgress(rows: number): void;
  onBytes(bytes: number): void;
};

/** Imports a file: shows progress, names every invalid row, and fails if nothing was imported. */
export async function importFile<Result extends Taken | Refusal>(
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
    if (result.ok) {
      if (result.faults) tellWarning(`left out ${result.faults} invalid row(s) of ${file}`);
      return result as Exclude<Result, Refusal>;
    }
    throw new Error(`nothing was imported: ${result.faults} invalid row(s) in ${file}`);
  } finally {
    progress.end();
  }
}

const describeFault = ({ line, id, reason }: Fault): string =>
  `line ${line}${id === undefined ? "" : ` (${escapeText(id)})`}: ${escapeText(reason)}`;

/** How many rows were left out, for `--take-good`. */
export const refusedOf = ({ faults }: { faults?: number }): { refused?: number } =>
  faults === undefined ? {} : { refused: faults };

/** The result of an import, for people. */
export const showCounts = (counts: { created: number; updated: number; unchanged: number }): string =>
  `created ${counts.created}, updated ${counts.updated}, unchanged ${counts.unchanged}`;
