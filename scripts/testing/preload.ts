import { fileURLToPath } from "node:url";

/** What each process of tests loads before its file. */
export const PRELOAD = fileURLToPath(new URL("./watch-test-process.ts", import.meta.url));
