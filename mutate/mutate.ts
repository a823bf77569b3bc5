import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connectForTest, HELD_SERVER, holdTestServer } from "../server/testing/database/test-server.ts";
import { dropLeftDatabases } from "./left-databases.ts";
import { applyMutant, type Mutant } from "./mutant.ts";
import { runTestsOf, type TestsResult } from "./run-tests-of.ts";
import { makeScratchCopy, type ScratchCopy } from "./scratch-copy.ts";

export type Verdict = "killed" | "survived" | "timed out" | "broken";
export type MutantResult = {
  mutant: Mutant;
  verdict: Verdict;
  /** The test that noticed it, or why the mutant says nothing. */
  detail: string;
  seconds: number;
};

export type MutateOptions = {
  source: string;
  mutants: readonly Mutant[];
  /** Runs each file of tests once without a mutant first. */
  checkFirst: boolean;
  limitMs: number;
  stop: AbortSignal;
  onResult: (result: MutantResult) => void;
  say: (line: string) => void;
};

const MIGRATIONS = "server/migrations/";

/** Applies one mutant at a time to a copy of the tree and runs its tests. The database server stays the same. */
export async function mutate(options: MutateOptions): Promise<MutantResult[]> {
  assertFit(options);
  const server = await holdTestServer();
  const copy = makeScratchCopy(options.source);
  const held: { connectionString: string; template: string } = JSON.parse(server.env[HELD_SERVER] ?? "{}");
  const admin = connectForTest(held.connectionString);
  const results: MutantResult[] = [];
  try {
    const runOn = async (file: string, env: NodeJS.ProcessEnv): Promise<TestsResult> => {
      const pids: number[] = [];
      const run = {
        root: copy.root,
        file,
        env,
        limitMs: options.limitMs,
        onStart: (pid: number) => pids.push(pid),
      };
      const result = await runTestsOf(run);
      await dropLeftDatabases(admin, pids, held.template);
      return result;
    };
    if (options.checkFirst)
      await checkFirst(options, (file) => runOn(file, { ...process.env, ...server.env }));
    for (const mutant of options.mutants) {
      if (options.stop.aborted) break;
      // With another migration the tests must make their own template.
      const env = mutant.file.startsWith(MIGRATIONS) ? process.env : { ...process.env, ...server.env };
      const result = await tryMutant(copy, mutant, (file) => runOn(file, env));
      results.push(result);
      options.onResult(result);
    }
  } finally {
    await admin.close();
    await server.close();
    copy.remove();
  }
  return results;
}

/** Says at once which mutants no longer fit the code, and not in the middle of the run. */
function assertFit({ source, mutants }: MutateOptions): void {
  const faults = mutants.flatMap((mutant) => {
    try {
      applyMutant(mutant, readFileSync(join(source, mutant.file), "utf8"));
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
  if (faults.length > 0) throw new MutantsUnfit(faults.join("\n"));
}

/** The code has changed and mutants must follow it. */
export class MutantsUnfit extends Error {}

/** Tests that fail anyway would kill every mutant. */
async function checkFirst(
  { mutants, stop, say }: MutateOptions,
  run: (file: string) => Promise<TestsResult>,
): Promise<void> {
  const files = [...new Set(mutants.flatMap(({ tests }) => tests))];
  say(`checking that ${files.length} files of tests pass without a mutant`);
  for (const file of files) {
    if (stop.aborted) return;
    const result = await run(file);
    if (result.kind !== "passed") throw new Error(`${file} fails without a mutant: ${describe(result)}`);
  }
}

async function tryMutant(
  copy: ScratchCopy,
  mutant: Mutant,
  run: (file: string) => Promise<TestsResult>,
): Promise<MutantResult> {
  const startedMs = performance.now();
  const end = (verdict: Verdict, detail: string): MutantResult => ({
    mutant,
    verdict,
    detail,
    seconds: (performance.now() - startedMs) / 1_000,
  });
  const undo = copy.mutate(mutant);
  try {
    for (const file of mutant.tests) {
      const result = await run(file);
      if (result.kind === "failed") return end("killed", result.test);
      if (result.kind === "broken") return end("broken", result.reason);
      if (result.kind === "timed-out") return end(mutant.hangs ? "killed" : "timed out", describe(result));
    }
    return end("survived", mutant.survives ?? "");
  } finally {
    undo();
  }
}

const describe = (result: TestsResult): string =>
  result.kind === "failed"
    ? result.test
    : result.kind === "broken"
      ? result.reason
      : "the time limit was reached";
