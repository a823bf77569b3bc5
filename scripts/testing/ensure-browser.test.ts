import assert from "node:assert/strict";
import { test } from "node:test";
import { ensureBrowser, type Machine } from "./ensure-browser.ts";

const DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n';
const UBUNTU = "ID=ubuntu\nID_LIKE=debian\n";
const MINT = 'ID=linuxmint\nID_LIKE="ubuntu debian"\n';
const FEDORA = "ID=fedora\nID_LIKE=rhel\n";

/** A machine without a browser, where apt-get brings one. */
function bareMachine(changes: Partial<Machine> = {}) {
  const done: string[] = [];
  const machine: Machine = {
    hasBrowser: () => done.includes("install --yes --no-install-recommends chromium"),
    isRoot: true,
    osRelease: DEBIAN,
    runApt: (args) => done.push(args.join(" ")) > 0,
    say: (line) => void done.push(`said: ${line}`),
    ...changes,
  };
  return { machine, done };
}

const HOW_TO = /^Error: .*install it \(on Debian: apt-get install chromium\), or set CHROMIUM_PATH$/;

test("where there is a browser nothing is installed", () => {
  const { machine, done } = bareMachine({ hasBrowser: () => true });
  ensureBrowser(machine);
  assert.deepEqual(done, []);
});

for (const osRelease of [DEBIAN, UBUNTU, MINT]) {
  test(`root on ${osRelease.match(/ID=(\w+)/)?.[1]} gets Chromium from apt-get, and is told so first`, () => {
    const { machine, done } = bareMachine({ osRelease });
    ensureBrowser(machine);
    assert.deepEqual(done, [
      "said: installing chromium with apt-get, which the browser tests need",
      "update",
      "install --yes --no-install-recommends chromium",
    ]);
  });
}

test("anyone else is told in one line what to install", () => {
  for (const changes of [{ isRoot: false }, { osRelease: FEDORA }, { osRelease: "" }]) {
    const { machine, done } = bareMachine(changes);
    assert.throws(() => ensureBrowser(machine), HOW_TO);
    assert.deepEqual(done, []);
  }
});

test("an apt-get that fails, or that brings no browser, ends in one line too", () => {
  const failing = bareMachine({ runApt: (args) => args[0] === "update" });
  assert.throws(() => ensureBrowser(failing.machine), HOW_TO);
  const useless = bareMachine({ runApt: () => true });
  assert.throws(() => ensureBrowser(useless.machine), HOW_TO);
});
