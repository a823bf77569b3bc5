import { execFile } from "node:child_process";
import { chmodSync, readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { promisify } from "node:util";

/** The database's own disk. A disk in a file can lose its power; one in memory can only become full. */
export type Disk = {
  /** Where it is mounted. */
  path: string;
  /**
   * Replaces the disk, at the same place, by what a power cut at this moment would leave of it: what has reached the file,
   * without what the system still holds in memory. Who uses the old disk must not write meanwhile, and keeps it until it
   * ends. Undefined for a disk in memory.
   */
  loseWhatIsInMemory: (() => Promise<void>) | undefined;
  unmount(): Promise<void>;
};

const SIZE = "1500m";
const COMMAND_TIMEOUT_MS = 60_000;
/** The system writes what it still holds within about half a minute. A copy takes about a second. */
const COPIES_MAX = 60;
/** In `/sys/block/NAME/stat`. */
const SECTORS_WRITTEN = 6;

const run = (program: string, ...args: string[]) =>
  promisify(execFile)(program, args, { timeout: COMMAND_TIMEOUT_MS }).then(({ stdout }) => stdout.trim());

/** Mounts a disk of its own for the database, if this user can. `path` must exist. */
export async function mountDisk(path: string, copiesMax = COPIES_MAX): Promise<Disk | undefined> {
  const inFile = await mountFile(path, copiesMax).catch(() => undefined);
  return inFile ?? (await mountMemory(path).catch(() => undefined));
}

async function mountMemory(path: string): Promise<Disk> {
  await run("mount", "-t", "tmpfs", "-o", `size=${SIZE},mode=755`, "tmpfs", path);
  return {
    path,
    loseWhatIsInMemory: undefined,
    unmount: async () => {
      await run("umount", path);
    },
  };
}

async function mountFile(path: string, copiesMax: number): Promise<Disk> {
  let number = 0;
  const fileNow = () => `${path}.disk-${number}`;
  try {
    await run("truncate", "-s", SIZE, fileNow());
    await run("mkfs.ext4", "-q", "-F", fileNow());
    await mountLoop(fileNow(), path);
  } catch (error) {
    rmSync(fileNow(), { force: true });
    throw error;
  }
  return {
    path,
    async loseWhatIsInMemory() {
      const old = fileNow();
      const left = `${path}.disk-${number + 1}`;
      try {
        await copyWhileQuiet(await deviceOf(path), old, left, copiesMax);
      } catch (error) {
        rmSync(left, { force: true });
        throw error;
      }
      // Who uses the old disk keeps it until it ends, and then the system removes it.
      await run("umount", "--lazy", path);
      rmSync(old);
      // Only now: after a copy that failed, the next one must not be of that copy, which is from the past.
      number += 1;
      await mountLoop(left, path);
    },
    async unmount() {
      await run("umount", path);
      rmSync(fileNow(), { force: true });
    },
  };
}

async function mountLoop(file: string, path: string): Promise<void> {
  await run("mount", "-t", "ext4", "-o", "loop", file, path);
  // The account of PostgreSQL must be able to pass through.
  chmodSync(path, 0o755);
}

const deviceOf = (path: string) => run("findmnt", "--noheadings", "--output", "SOURCE", path);

/**
 * A copy during which the system wrote something would be a mixture of two moments, which no power cut leaves. Then it is
 * made again.
 */
async function copyWhileQuiet(device: string, from: string, to: string, copiesMax: number): Promise<void> {
  const written = () =>
    readFileSync(`/sys/block/${basename(device)}/stat`, "utf8")
      .trim()
      .split(/\s+/)[SECTORS_WRITTEN];
  for (let copies = 0; copies < copiesMax; copies += 1) {
    const before = written();
    await run("cp", "--sparse=always", from, to);
    if (written() === before) return;
  }
  throw new Error(`${from} did not become quiet`);
}
