// Keeps what Node has compiled for the next command, which then starts in a fraction of the time. Written for any Node
// from 18 on.

import { lstatSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

const PRIVATE_DIRECTORY = 0o700;
const WRITABLE_BY_OTHERS = 0o022;

/** Where to keep it; undefined when no place is safe. */
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
 * Whoever can write to the folder decides what the next command runs, so it is used only where it belongs to us and nobody
 * else writes: beside the dependencies where they are our own, else in the user's cache.
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

/** Not with its parents: Node never returns from making those in places such as /proc. */
function makeDirectory(path) {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path, { mode: PRIVATE_DIRECTORY });
}

/** A directory itself, not a link to one: a link can be turned elsewhere. */
function isOurs(path) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return false;
  return found.uid === process.getuid?.() && (found.mode & WRITABLE_BY_OTHERS) === 0;
}
