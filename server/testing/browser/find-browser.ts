import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of an installed browser, or the packaged one. */
export type FoundBrowser = { path: string } | "packaged";

/** Names of the Chromium executable. */
const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** CHROMIUM_PATH, else one on the PATH, else the packaged one, which exists only for Linux x64. */
export function findBrowser(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): FoundBrowser | undefined {
  const named = env.CHROMIUM_PATH;
  if (named) return { path: named };
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const name of NAMES) {
    const path = folders.map((folder) => join(folder, name)).find(canRun);
    if (path !== undefined) return { path };
  }
  return platform === "linux-x64" ? "packaged" : undefined;
}

export const PLATFORM = `${process.platform}-${process.arch}`;

export const NO_BROWSER =
  "the browser tests need Chromium: install it (on Debian: apt-get install chromium), or set CHROMIUM_PATH";

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
