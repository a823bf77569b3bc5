import { stat } from "node:fs/promises";
import { showCount } from "./format.ts";

export type Progress = {
  /** Reports what is done. `share`, from 0 to 1, is its part of the whole; without it no remaining time is shown. */
  advance(done: number, share?: number): void;
  /** Clears the line for the next output. */
  end(): void;
};

export type ProgressStream = { isTTY?: boolean; write(text: string): unknown };

const SILENT_MS = 2_000;
const TERMINAL_EVERY_MS = 200;
const LINES_EVERY_MS = 10_000;
const CLEAR_LINE = "\r\u001b[K";

/**
 * Shows the progress, rate and remaining time of long work on standard error. Prints nothing in the first two seconds. A terminal
 * shows one changing line, a log a line every ten seconds.
 */
export function startProgress(
  what: string,
  stream: ProgressStream = process.stderr,
  nowMs: () => number = () => performance.now(),
): Progress {
  const startedMs = nowMs();
  const isTerminal = stream.isTTY === true;
  let toldMs = startedMs + SILENT_MS - (isTerminal ? TERMINAL_EVERY_MS : LINES_EVERY_MS);
  let hasLine = false;
  return {
    advance(done, share) {
      const at = nowMs();
      if (at - toldMs < (isTerminal ? TERMINAL_EVERY_MS : LINES_EVERY_MS)) return;
      toldMs = at;
      const line = describe(what, { done, share, elapsedMs: at - startedMs });
      stream.write(isTerminal ? CLEAR_LINE + drawBar(share) + line : `${line}\n`);
      hasLine = isTerminal;
    },
    end() {
      if (hasLine) stream.write(CLEAR_LINE);
      hasLine = false;
    },
  };
}

const BAR_CELLS = 20;

/** A terminal shows the share as a bar too. */
function drawBar(share: number | undefined): string {
  if (share === undefined || !(share >= 0 && share <= 1)) return "";
  const full = Math.round(share * BAR_CELLS);
  return `${"█".repeat(full)}${"░".repeat(BAR_CELLS - full)} `;
}

type State = { done: number; share: number | undefined; elapsedMs: number };

function describe(what: string, { done, share, elapsedMs }: State): string {
  const rate = Math.round((done * 1_000) / elapsedMs);
  const parts = [`${showCount(done)} ${what}`, `${showCount(rate)}/s`];
  if (share !== undefined && share > 0 && share <= 1) {
    parts.push(`${Math.floor(share * 100)} %`, `${describeTime((elapsedMs * (1 - share)) / share)} left`);
  }
  return parts.join(" · ");
}

function describeTime(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Progress through a file, by the share of its bytes. A file without a size has no share. */
export async function startFileProgress(
  file: string,
  what: string,
): Promise<Pick<Progress, "end"> & { onProgress(rows: number): void; onBytes(bytes: number): void }> {
  const size = await stat(file).then(
    (found) => (found.isFile() ? found.size : 0),
    () => 0,
  );
  const progress = startProgress(what);
  let read = 0;
  return {
    onBytes: (bytes) => {
      read += bytes;
    },
    onProgress: (rows) => progress.advance(rows, size > 0 ? read / size : undefined),
    end: () => progress.end(),
  };
}
