import { lstatSync, mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const PRIVATE_DIRECTORY = 0o700;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Keeps what Node has compiled for the next command, which then starts in a fraction of the time. Whoever can write to
 * that folder decides what the next command runs, so it is used only where it belongs to us and nobody else writes.
 */
export function keepCompiled(): void {
  const asked = process.env.XDG_CACHE_HOME ?? "";
  const folder = findCacheFolder(MODULES, isAbsolute(asked) ? asked : join(homedir(), ".cache"));
  if (folder !== undefined) enableCompileCache(folder);
}

/** Beside the dependencies where they are our own, else in the user's cache; undefined when neither is safe. */
export function findCacheFolder(modules: string, userCache: string): string | undefined {
  const beside = isOurs(modules) ? openFolder(join(modules, ".cache"), "scrip") : undefined;
  return beside ?? openFolder(userCache, "scrip");
}

function openFolder(parent: string, name: string): string | undefined {
  const folder = join(parent, name);
  try {
    for (const path of [parent, folder]) makeDirectory(path);
  } catch {
    return undefined;
  }
  return isOurs(parent) && isOurs(folder) ? folder : undefined;
}

/** Not with its parents: Node never returns from making those in places such as /proc. */
function makeDirectory(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path, { mode: PRIVATE_DIRECTORY });
}

/** A directory itself, not a link to one: a link can be turned elsewhere. */
function isOurs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return false;
  return found.uid === process.getuid?.() && (found.mode & WRITABLE_BY_OTHERS) === 0;
}
