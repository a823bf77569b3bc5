import { join } from "node:path";
import { ensureInstalled } from "../../scripts/ensure-installed.mjs";
import { SDK_FOLDER } from "./install-sdk.ts";

export type Runtime = {
  name: string;
  /** What it answers to --version. */
  version: RegExp;
  command: string;
  /** What stands before the name of a script. */
  args: readonly string[];
};

const FOLDER = join(SDK_FOLDER, "runtimes");
const bundled = (path: string) => join(FOLDER, "node_modules", path);
const bundledNode = (major: number): Runtime => ({
  name: `Node ${major}`,
  version: new RegExp(`^v${major}\\.`),
  command: bundled(`node-${major}-${process.arch}/bin/node`),
  args: [],
});

export const OWN_NODE: Runtime = { name: "Node 24", version: /^v24\./, command: process.execPath, args: [] };
export const DENO: Runtime = {
  name: "Deno",
  version: /^deno 2\./,
  command: bundled(`@deno/linux-${process.arch}-glibc/deno`),
  // To read settings and files and to reach a server; that the SDK needs nothing else is part of the promise.
  args: "run --allow-net --allow-read --allow-env --no-prompt --no-remote --node-modules-dir=manual".split(
    " ",
  ),
};
export const BUN: Runtime = {
  name: "Bun",
  version: /^1\./,
  command: bundled(`@oven/bun-linux-${process.arch === "arm64" ? "aarch64" : "x64"}/bin/bun`),
  args: [],
};

/** Most of them are there for Linux alone; elsewhere it is the Node at hand. */
export const RUNTIMES: readonly Runtime[] =
  process.platform === "linux" ? [bundledNode(18), bundledNode(20), DENO, BUN, OWN_NODE] : [OWN_NODE];

export const EXPRESS_FOLDER = bundled("express");
export const OLDEST_TYPESCRIPT = bundled("typescript-5/bin/tsc");

/** Installs them where they are not there yet, as their lock file says. */
export const ensureRuntimes = (): Promise<void> => ensureInstalled(FOLDER, "all");
