// Ends this process when its parent is gone: a killed npm must not leave a server running. Works
// with Node 18 and later. Preloaded (`--import`) it watches the process that SCRIP_PARENT_PID names.

import { readFileSync } from "node:fs";

const INTERVAL_MS = 1_000;
const SHELLS = new Set(["sh", "dash", "bash", "ash", "ksh", "zsh", "busybox"]);

/** An orphan gets another parent. That shows that ours is gone, even after SIGKILL. */
export function watchParent(parentPid) {
  // `npx` starts a shell in between, which outlives it.
  const shell = findProcess(parentPid);
  const isShell = shell !== undefined && SHELLS.has(shell.program);
  const timer = setInterval(() => {
    const isShellOrphaned = isShell && findProcess(parentPid)?.parentPid !== shell.parentPid;
    if (process.ppid === parentPid && !isShellOrphaned) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, INTERVAL_MS);
  timer.unref();
}

/** Needs /proc; elsewhere only the direct parent is watched. */
function findProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name is in parentheses and can contain parentheses.
    const end = stat.lastIndexOf(")");
    const [, parentPid] = stat.slice(end + 2).split(" ");
    return { program: stat.slice(stat.indexOf("(") + 1, end), parentPid: Number(parentPid) };
  } catch {
    return undefined;
  }
}

const parentPid = Number(process.env.SCRIP_PARENT_PID);
// Our children have us as their parent, not the process named here.
delete process.env.SCRIP_PARENT_PID;
if (parentPid > 0) watchParent(parentPid);
