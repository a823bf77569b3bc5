import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";

export type Progress = {
  note(event: TestEvent): void;
  /** One line for each file, the slowest first. */
  describeSlowest(count: number): string[];
  /** Which files and tests have begun and not ended. */
  describeRunning(): string[];
};

/** Node's events as they are; their types leave some members out. */
type Named = {
  name: string;
  nesting: number;
  testId?: number;
  /** The file whose process tells it; absent where the event is about that process as a whole. */
  entryFile?: string;
  details?: { duration_ms: number; type?: string };
};

const TEST_FILE = /\.test\.(ts|mjs)$/;
const MS_PER_SECOND = 1_000;

/** Follows a run by its events, which come in the order in which things happen. */
export function watchProgress(root: string): Progress {
  const running = new Map<string, Named>();
  const durationsMs = new Map<string, number>();
  const shown = (path: string) => (path.startsWith("/") ? relative(root, path) : path);

  return {
    note({ type, data }) {
      if (type !== "test:dequeue" && type !== "test:complete") return;
      const named: Named = data;
      const key = `${named.entryFile ?? ""} ${named.testId}`;
      if (type === "test:dequeue") running.set(key, named);
      else running.delete(key);
      // A file is told of by its own process, or as a suite by that of its group.
      if (type === "test:complete" && named.nesting === 0 && TEST_FILE.test(named.name))
        durationsMs.set(shown(named.name), named.details?.duration_ms ?? 0);
    },
    describeSlowest: (count) =>
      [...durationsMs]
        .toSorted(([, one], [, other]) => other - one)
        .slice(0, count)
        .map(([file, ms]) => `${(ms / MS_PER_SECOND).toFixed(1).padStart(6)} s  ${file}`),
    describeRunning: () =>
      [...running.values()].map(({ entryFile, name }) =>
        entryFile === undefined ? shown(name) : `${shown(entryFile)} › ${shown(name)}`,
      ),
  };
}
