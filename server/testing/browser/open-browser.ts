import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import packed, { inflate } from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";
import { findBrowser, NO_BROWSER, PLATFORM } from "./find-browser.ts";

export type TestBrowser = { browser: Browser; close(): Promise<void> };

/**
 * A real browser: an installed one, or the packaged one, unpacked into a temporary folder that is removed with it.
 */
export async function openBrowser(): Promise<TestBrowser> {
  const found = findBrowser(process.env, PLATFORM);
  if (found === undefined) throw new Error(NO_BROWSER);
  const folder = await mkdtemp(join(tmpdir(), "scrip-browser-"));
  try {
    const browser = await chromium.launch({
      args: FLAGS,
      ...(found === "packaged" ? await unpack(folder) : { executablePath: found.path }),
    });
    return {
      browser,
      async close() {
        await browser.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The sandbox does not run as root, and only the pages themselves are allowed to use the network. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The package always unpacks into the temporary folder, so that is changed meanwhile. */
async function unpack(folder: string): Promise<{ executablePath: string; env: Record<string, string> }> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    const libraries = new URL("../bin/al2023.tar.br", import.meta.resolve("@sparticuz/chromium"));
    const [executablePath] = await Promise.all([packed.executablePath(), inflate(fileURLToPath(libraries))]);
    await writeFile(join(folder, "fonts.conf"), FONTS);
    return { executablePath, env: environment(folder) };
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

/** The package's own settings look for its fonts only in the system's temporary folder. */
const FONTS =
  '<?xml version="1.0"?><fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>';

/** The package's libraries and fonts: a bare machine has none, and with them every machine renders the same. */
const environment = (folder: string): Record<string, string> => ({
  PATH: process.env.PATH ?? "",
  HOME: folder,
  TMPDIR: folder,
  XDG_CACHE_HOME: folder,
  LD_LIBRARY_PATH: join(folder, "al2023", "lib"),
  FONTCONFIG_FILE: join(folder, "fonts.conf"),
});
