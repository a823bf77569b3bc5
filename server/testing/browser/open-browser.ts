import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, type BrowserServer, chromium, type LaunchOptions } from "playwright-core";
import { findBrowser, NO_BROWSER, PLATFORM } from "./find-browser.ts";

export type TestBrowser = { browser: Browser; close(): Promise<void> };

/** How the test run tells its processes about the browser that it holds open for them. */
const HELD_BROWSER = "SCRIP_TEST_BROWSER";

/**
 * A real browser: that of the test run, or one of its own. Nothing is shared with others but its processes, because each page
 * is in a context of its own.
 */
export async function openBrowser(): Promise<TestBrowser> {
  const held = process.env[HELD_BROWSER];
  if (held === undefined) return launch((options) => chromium.launch(options), toTestBrowser);
  const browser = await chromium.connect(held);
  return { browser, close: () => browser.close() };
}

const toTestBrowser = (browser: Browser, close: () => Promise<void>): TestBrowser => ({ browser, close });

/** Holds a browser open for the processes that get the returned environment: to start one takes longer than most pages. */
export const holdBrowser = () =>
  launch(
    (options) => chromium.launchServer({ ...options, host: "127.0.0.1" }),
    (server: BrowserServer, close) => ({
      env: { [HELD_BROWSER]: server.wsEndpoint() },
      pid: server.process().pid ?? 0,
      close,
    }),
  );

/** An installed one, or the packaged one, unpacked into a temporary folder that is removed with it. */
async function launch<Started extends { close(): Promise<void> }, Result>(
  start: (options: LaunchOptions) => Promise<Started>,
  describe: (started: Started, close: () => Promise<void>) => Result,
): Promise<Result> {
  const found = findBrowser(process.env, PLATFORM);
  if (found === undefined) throw new Error(NO_BROWSER);
  const folder = await mkdtemp(join(tmpdir(), "scrip-browser-"));
  try {
    const started = await start({
      args: FLAGS,
      ...(found === "packaged" ? await unpack(folder) : { executablePath: found.path }),
    });
    return describe(started, async () => {
      await started.close();
      await rm(folder, { recursive: true, force: true });
    });
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

const UNPACKER = fileURLToPath(new URL("./unpack-packaged.ts", import.meta.url));
const UNPACK_TIMEOUT_MS = 120_000;

/**
 * The package always unpacks into the temporary folder of its process, so it does that in a process of its own: what others put
 * into the temporary folder meanwhile must not end up in the browser's.
 */
export async function unpack(
  folder: string,
  script = UNPACKER,
): Promise<{ executablePath: string; env: Record<string, string> }> {
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    env: { ...process.env, TMPDIR: folder },
    timeout: UNPACK_TIMEOUT_MS,
  });
  await writeFile(join(folder, "fonts.conf"), FONTS);
  return { executablePath: stdout, env: environment(folder) };
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
