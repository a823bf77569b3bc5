// Ends this process when the one that started it is gone: a killed npm must not leave a server behind. Written for
// any Node from 18 on. Preloaded (`--import`) it watches the process that SCRIP_PARENT_PID names.

const INTERVAL_MS = 1_000;

/** The system gives an orphan another parent; that is how the death of ours shows, even by SIGKILL. */
export function watchParent(parentPid) {
  const look = () => {
    if (process.ppid === parentPid) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  };
  const timer = setInterval(look, INTERVAL_MS);
  timer.unref();
}

const parentPid = Number(process.env.SCRIP_PARENT_PID);
// Our own children have us for a parent, not the one named here.
delete process.env.SCRIP_PARENT_PID;
if (parentPid > 0) watchParent(parentPid);
