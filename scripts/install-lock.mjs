// One install at a time in one checkout. Works with Node 18 and later.

import { createHash, randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 100;
const MAX_WAIT_MS = 600_000;

/** Runs `work` while no other process installs here. The lock of a dead process does not count. */
export async function withInstallLock(root, work) {
  const name = createHash("sha256").update(root).digest("hex").slice(0, 16);
  const path = join(tmpdir(), `scrip-install-${name}.lock`);
  await acquire(path);
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

async function acquire(path) {
  const deadline = Date.now() + MAX_WAIT_MS;
  for (let waits = 0; !tryToAcquire(path); waits += 1) {
    if (Date.now() > deadline)
      throw new Error(`timed out waiting for another process to install; see ${path}`);
    if (waits === 1) console.error("waiting for another process to install dependencies…");
    if (!breakDeadLock(path)) await delay(POLL_MS);
  }
}

/** A link appears at once with its content, or not at all. */
function tryToAcquire(path) {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  // Exclusive: in a shared directory an existing name can be a link to another place.
  writeFileSync(draft, `${process.pid}\n`, { flag: "wx" });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Whether the lock is gone. It is moved away first, and put back if it is a newer one. */
function breakDeadLock(path) {
  const owner = ownerOf(path);
  if (owner === undefined) return true;
  if (isAlive(owner)) return false;
  const aside = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    renameSync(path, aside);
    if (ownerOf(aside) !== owner) linkSync(aside, path);
  } catch (error) {
    if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  return true;
}

function ownerOf(path) {
  try {
    return Number.parseInt(readFileSync(path, "utf8"), 10);
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}
