import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { findBrowser, NO_BROWSER, PLATFORM } from "../../server/testing/browser/find-browser.ts";

export type Machine = {
  hasBrowser(): boolean;
  isRoot: boolean;
  /** What /etc/os-release says. */
  osRelease: string;
  /** Whether it ended well. */
  runApt(args: readonly string[]): boolean;
  say(line: string): void;
};

const APT_TIMEOUT_MS = 300_000;
/** ID is the system's own name, ID_LIKE what it descends from. */
const DEBIAN = /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m;

/**
 * Before the tests begin there is a browser, or one line says what to install. Chromium's makers have no build for arm64
 * that a package could bring along, so root on Debian or Ubuntu gets that of the system.
 */
export function ensureBrowser(machine: Machine): void {
  if (machine.hasBrowser()) return;
  if (!machine.isRoot || !DEBIAN.test(machine.osRelease)) throw new Error(NO_BROWSER);
  machine.say("installing chromium with apt-get, which the browser tests need");
  const install = ["install", "--yes", "--no-install-recommends", "chromium"];
  if (!machine.runApt(["update"]) || !machine.runApt(install) || !machine.hasBrowser())
    throw new Error(`apt-get could not install chromium; ${NO_BROWSER}`);
}

export const thisMachine: Machine = {
  hasBrowser: () => findBrowser(process.env, PLATFORM) !== undefined,
  isRoot: process.getuid?.() === 0,
  osRelease: readOsRelease(),
  runApt: (args) =>
    spawnSync("apt-get", ["--quiet=2", ...args], {
      stdio: ["ignore", 2, 2],
      timeout: APT_TIMEOUT_MS,
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    }).status === 0,
  say: (line) => console.log(`> ${line}`),
};

function readOsRelease(): string {
  try {
    return readFileSync("/etc/os-release", "utf8");
  } catch {
    return "";
  }
}
