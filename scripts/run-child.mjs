// Runs another program in our place. Written for any Node from 18 on.

import { spawn } from "node:child_process";

const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Resolves with `{ code, signal }` when the child has ended; until then it gets the signals that are meant for us. */
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
