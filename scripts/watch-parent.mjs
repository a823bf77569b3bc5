// Ends this process when the one that started it is gone: a killed npm must not leave a server behind. Written for
// any Node from 18 on. Preloaded (`--import`) it watches the process that SCRIP_PARENT_PID names.

import { readFileSync } from "node:fs";

const INTERVAL_MS = 1_000;
const SHELLS = new Set(["sh", "dash", "bash", "ash", "ksh", "zsh", "busybox"]);

/** The system gives an orphan another parent; that is how the death of ours shows, even by SIGKILL. */
export function watchParent(parentPid) {
  // `npx` puts a shell between itself and us, which outlives it.
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

/** Known where the system has /proc; elsewhere only the direct parent is watched. */
function findProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name stands in parentheses and may hold some itself.
    const end = stat.lastIndexOf(")");
    const [, parentPid] = stat.slice(end + 2).split(" ");
    return { program: stat.slice(stat.indexOf("(") + 1, end), parentPid: Number(parentPid) };
  } catch {
    return undefined;
  }
}

const parentPid = Number(process.env.SCRIP_PARENT_PID);
// Our own children have us for a parent, not the one named here.
delete process.env.SCRIP_PARENT_PID;
if (parentPid > 0) watchParent(parentPid);
