// Runs another program instead of this one. Works with Node 18 and later.

import { spawn } from "node:child_process";

const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Resolves with `{ code, signal }` when the child has ended. Until then it gets our signals. */
export function runChild(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    const forward = (signal) => child.kill(signal);
    const settle = (report) => (value) => {
      for (const signal of FORWARDED_SIGNALS) process.off(signal, forward);
      report(value);
    };
    for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
    const resolved = settle(resolve);
    child.once("error", settle(reject));
    child.once("exit", (code, signal) => resolved({ code, signal }));
  });
}
