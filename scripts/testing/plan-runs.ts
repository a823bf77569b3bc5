/** What one process of the test run does: one file, or several small ones that share a process. */
export type TestRun = { files: readonly string[]; seconds: number };

export type TestSource = { file: string; text: string };

/** Files that are not in the table of slow files take about this long. */
const QUICK_SECONDS = 1;
/** To start a process and load the server takes as long as the tests of a quick file, so that many share one. */
const GROUP_FILES_MAX = 28;

/** What a whole process shares. A file that changes it has a process of its own. */
const CHANGES_THE_PROCESS =
  /\bmock\.|process\.env\.\w+ =(?!=)|process\.(chdir|umask|on|once|exit)\b|globalThis\.\w+ =(?!=)|--expose-gc|heapUsed/;

/**
 * The longest runs first, so that none of them is left over at the end, when nothing can run beside it. Files stay in
 * the order of their names within a group: neighbours load the same code.
 */
export function planRuns(
  sources: readonly TestSource[],
  slowFiles: Readonly<Record<string, number>>,
): TestRun[] {
  const isAlone = ({ file, text }: TestSource) =>
    slowFiles[file] !== undefined || CHANGES_THE_PROCESS.test(text);
  const alone = sources
    .filter(isAlone)
    .map(({ file }) => ({ files: [file], seconds: slowFiles[file] ?? QUICK_SECONDS }));
  const shared = sources.filter((source) => !isAlone(source)).map(({ file }) => file);
  return [...alone, ...groupsOf(shared.toSorted())].toSorted((one, other) => other.seconds - one.seconds);
}

function groupsOf(files: readonly string[]): TestRun[] {
  const count = Math.ceil(files.length / GROUP_FILES_MAX);
  const groups: TestRun[] = [];
  for (let index = 0; index < count; index += 1) {
    const from = Math.floor((index * files.length) / count);
    const to = Math.floor(((index + 1) * files.length) / count);
    groups.push({ files: files.slice(from, to), seconds: (to - from) * QUICK_SECONDS });
  }
  return groups;
}
