/** What one process of the test run does: one file, or several that share a process. */
export type TestRun = { files: readonly string[]; seconds: number };

export type TestSource = { file: string; text: string };

/** Files that are not in the table of slow files take about this long. */
const QUICK_SECONDS = 1;
/** A file that takes longer has a process of its own. */
const ALONE_FROM_SECONDS = 15;
/**
 * To start a process and load the server takes as long as the tests of a quick file, so that many share one. Longer groups would
 * leave less to put beside the last of them.
 */
const GROUP_SECONDS_MAX = 40;

/**
 * What a whole process shares. A file that changes it has a process of its own. What a test mocks through its context (`t.mock`)
 * is restored at its end, but for timers: a clock that stood still was seen by a file behind.
 */
const CHANGES_THE_PROCESS =
  /(?<!\.)\bmock\.|\bmock\.timers|process\.env\.\w+ =(?!=)|process\.(chdir|umask|on|once|exit)\b|globalThis\.\w+ =(?!=)|--expose-gc|heapUsed/;

/**
 * The longest runs first, so that none of them is left over at the end, when nothing can run beside it. Files stay in
 * the order of their names within a group: neighbours load the same code.
 */
export function planRuns(
  sources: readonly TestSource[],
  slowFiles: Readonly<Record<string, number>>,
): TestRun[] {
  const secondsOf = (file: string): number => slowFiles[file] ?? QUICK_SECONDS;
  const isAlone = ({ file, text }: TestSource) =>
    secondsOf(file) >= ALONE_FROM_SECONDS || CHANGES_THE_PROCESS.test(text);
  const alone = sources.filter(isAlone).map(({ file }) => ({ files: [file], seconds: secondsOf(file) }));
  const shared = sources.filter((source) => !isAlone(source)).map(({ file }) => file);
  return [...alone, ...groupsOf(shared.toSorted(), secondsOf)].toSorted(
    (one, other) => other.seconds - one.seconds,
  );
}

/** Groups that take about equally long. A file belongs to the one in which its middle falls. */
function groupsOf(files: readonly string[], secondsOf: (file: string) => number): TestRun[] {
  const total = files.reduce((sum, file) => sum + secondsOf(file), 0);
  const groupSeconds = total / Math.ceil(total / GROUP_SECONDS_MAX);
  let before = 0;
  const groups = Map.groupBy(files, (file) => {
    const middle = before + secondsOf(file) / 2;
    before += secondsOf(file);
    return Math.floor(middle / groupSeconds);
  });
  return [...groups.values()].map((members) => ({
    files: members,
    seconds: members.reduce((sum, file) => sum + secondsOf(file), 0),
  }));
}
