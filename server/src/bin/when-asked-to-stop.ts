/** One Ctrl-C can arrive twice: from the terminal, and from npm, which forwards it. */
const REPEATED_WITHIN_MS = 1_500;

/** Resolves on Ctrl-C or SIGTERM. A second Ctrl-C later ends the process at once. */
export function whenAskedToStop(): Promise<string> {
  return new Promise((resolve) => {
    let askedAtMs: number | undefined;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        const nowMs = performance.now();
        if (askedAtMs !== undefined && signal === "SIGINT" && nowMs - askedAtMs > REPEATED_WITHIN_MS)
          process.exit(130);
        askedAtMs ??= nowMs;
        resolve(signal);
      });
    }
  });
}
