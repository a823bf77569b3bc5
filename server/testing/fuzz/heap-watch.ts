import { existsSync, readFileSync } from "node:fs";
import { eventually } from "../eventually.ts";

/** What the heap of a process is after a full collection, along a run. */
export type HeapWatch = {
  /** Takes a sample. Does nothing if the process has ended. */
  sample(): Promise<void>;
  samplesMb(): readonly number[];
};

export type HeapJudgement = { samplesMb: readonly number[]; grownMb: number; isFlat: boolean };

const MB = 1024 * 1024;

export function watchHeap(pid: number, file: string): HeapWatch {
  const samples = (): number[] =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .trim()
          .split("\n")
          .map((bytes) => Math.round((Number(bytes) / MB) * 10) / 10)
      : [];
  return {
    samplesMb: samples,
    async sample() {
      const before = samples().length;
      try {
        process.kill(pid, "SIGUSR2");
      } catch {
        return;
      }
      await eventually("a sample of the heap", async () => samples().length > before || undefined);
    },
  };
}

/** Caches fill at first, so only what is left after the first third of a run is compared. */
export const HEAP_GROWTH_MAX_MB = 6;
export const HEAP_SAMPLES_MIN = 6;

/** Flat: the last samples are no larger than those after the first third. Too few samples prove nothing and are flat. */
export function judgeHeap(samplesMb: readonly number[]): HeapJudgement {
  const part = Math.floor(samplesMb.length / 3);
  if (samplesMb.length < HEAP_SAMPLES_MIN) return { samplesMb, grownMb: 0, isFlat: true };
  const early = medianOf(samplesMb.slice(part, part * 2));
  const late = medianOf(samplesMb.slice(-part));
  const grownMb = Math.round((late - early) * 10) / 10;
  return { samplesMb, grownMb, isFlat: grownMb <= HEAP_GROWTH_MAX_MB };
}

const medianOf = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
