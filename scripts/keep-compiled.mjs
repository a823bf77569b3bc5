// Caches compiled code, so that the next command starts faster. Works with Node
// 18 and later.

import { lstatSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

const PRIVATE_DIRECTORY = 0o700;
const WRITABLE_BY_OTHERS = 0o022;

/** The folder of the cache; undefined when no place is safe. */
export function cacheFolderOf(root) {
  return findCacheFolder(join(root, "node_modules"), userCacheOf(process.env.XDG_CACHE_HOME ?? ""));
}

function userCacheOf(asked) {
  if (isAbsolute(asked)) return asked;
  try {
    return join(homedir(), ".cache");
  } catch {
    // A user without an entry and without HOME, as in some containers.
    return undefined;
  }
}

/**
 * Anyone who can write to the folder decides what the next command runs. So it is used only if we own it and no one else can
 * write: next to the dependencies if we own them, otherwise in the user's cache.
 *
 * @param {string} modules
 * @param {string | undefined} userCache
 */
export function findCacheFolder(modules, userCache) {
  const beside = isOurs(modules) ? openFolder(join(modules, ".cache"), "scrip") : undefined;
  return beside ?? (userCache === undefined ? undefined : openFolder(userCache, "scrip"));
}

function openFolder(parent, name) {
  const folder = join(parent, name);
  try {
    for (const path of [parent, folder]) makeDirectory(path);
  } catch {
    return undefined;
  }
  return isOurs(parent) && isOurs(folder) ? folder : undefined;
}

/** Without its parents: Node never returns from creating those in places such as /proc. */
function makeDirectory(path) {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path, { mode: PRIVATE_DIRECTORY });
}

/** A real directory, not a link: a link can be changed to another place. */
function isOurs(path) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return false;
  return found.uid === process.getuid?.() && (found.mode & WRITABLE_BY_OTHERS) === 0;
}
