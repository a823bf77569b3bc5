// Installs the dependencies that package-lock.json names, when they are not there yet. Works with Node 18 and later.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withInstallLock } from "./install-lock.mjs";
import { runNpm } from "./run-npm.mjs";

/** `level` is "prod", or "all" with the development dependencies. */
export async function ensureInstalled(root, level) {
  if (hasStamp(root, level)) return;
  if (!isInstalled(root, level)) {
    await withInstallLock(root, async () => {
      if (!isInstalled(root, level)) await install(root, level);
    });
  }
  writeStamp(root, level);
}

/** The fast check: the same lock file, and npm has not run since. */
function hasStamp(root, level) {
  const stamp = readJson(stampPath(root));
  return (
    (stamp?.level === level || stamp?.level === "all") &&
    stamp.hash === lockHash(root) &&
    stamp.installedAt === installedAt(root)
  );
}

function writeStamp(root, level) {
  const stamp = { level, hash: lockHash(root), installedAt: installedAt(root) };
  try {
    writeFileSync(stampPath(root), `${JSON.stringify(stamp)}\n`);
  } catch {
    // A read-only folder stays unchanged; the next start compares the lock files again.
  }
}

function stampPath(root) {
  return join(root, "node_modules", ".scrip-install.json");
}

function lockHash(root) {
  return createHash("sha256")
    .update(`${process.platform} ${process.arch}\n`)
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
}

function installedAt(root) {
  return statSync(npmRecordPath(root), { throwIfNoEntry: false })?.mtimeMs;
}

/** npm records what it installed when it is done. */
function npmRecordPath(root) {
  return join(root, "node_modules", ".package-lock.json");
}

/**
 * The thorough check, for dependencies installed with plain npm (such as an image built with `npm ci`) and after every use of
 * npm.
 */
function isInstalled(root, level) {
  const wanted = readJson(join(root, "package-lock.json"))?.packages ?? {};
  const installed = readJson(npmRecordPath(root))?.packages ?? {};
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith("node_modules/") || !isNeeded(entry, level)) return true;
    const found = installed[path];
    return (
      found !== undefined &&
      found.version === entry.version &&
      found.integrity === entry.integrity &&
      existsSync(join(root, path))
    );
  });
}

function isNeeded(entry, level) {
  if (entry.dev && level === "prod") return false;
  if (!entry.optional && !entry.devOptional) return true;
  // Optional packages are binaries, one per platform. Where the C library decides, only npm knows.
  const fits = (allowed, value) => allowed !== undefined && [allowed].flat().includes(value);
  return fits(entry.os, process.platform) && fits(entry.cpu, process.arch) && entry.libc === undefined;
}

async function install(root, level) {
  console.error("installing dependencies (first start only)…");
  // `npm ci` empties node_modules first; a server that runs from here keeps its files when only more are needed.
  const isUpgrade = level === "all" && isInstalled(root, "prod");
  rmSync(stampPath(root), { force: true });
  const verb = isUpgrade ? ["install", "--no-save"] : ["ci"];
  const args = [
    ...verb,
    level === "prod" ? "--omit=dev" : "--include=dev",
    "--include=optional",
    "--ignore-scripts",
  ];
  // npm's output goes to standard error, because standard output belongs to the command that runs afterwards.
  await runNpm(args, { cwd: root, what: "install the dependencies" });
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
