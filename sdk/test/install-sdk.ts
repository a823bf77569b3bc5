import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { runNpm } from "../../scripts/run-npm.mjs";
import { buildPackage, packPackage } from "../scripts/build-package.ts";

/** A customer's folder with the SDK installed from its .tgz. */
export type Installed = {
  folder: string;
  /** The .tgz that it came from. */
  tarball: string;
  remove(): void;
};

export const SDK_FOLDER = dirname(import.meta.dirname);
/** Deno opens nothing below /dev, where a run of all tests keeps its files in memory. */
const TEMPORARY_FOLDER = tmpdir().startsWith("/dev/") ? "/var/tmp" : tmpdir();

/** Installed once for each state of the source, then copied, so that the tests use the current source. */
export async function installSdk(): Promise<Installed> {
  const original = await ensureInstalled();
  const folder = mkdtempSync(join(TEMPORARY_FOLDER, "scrip-sdk-customer-"));
  cpSync(join(original, "customer"), folder, { recursive: true, verbatimSymlinks: true });
  const [tarball = ""] = readdirSync(original).filter((name) => name.endsWith(".tgz"));
  return {
    folder,
    tarball: join(original, tarball),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const HASH_CHARACTERS = 16;
/** The sources of the package and its build. */
const SOURCES = ["src/**/*.ts", "scripts/*.ts", "package.json", "README.md", "tsconfig.build.json"];

/** Built next to its place and moved there when complete, because several test files can build it at the same time. */
async function ensureInstalled(): Promise<string> {
  const place = join(TEMPORARY_FOLDER, `scrip-sdk-${userInfo().uid}-${hashSources()}`);
  if (existsSync(place)) return place;
  const draft = mkdtempSync(`${place}-`);
  try {
    await install(draft);
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
  return place;
}

function hashSources(): string {
  const hash = createHash("sha256").update(readFileSync(join(SDK_FOLDER, "../package-lock.json")));
  for (const path of globSync(SOURCES, { cwd: SDK_FOLDER }).sort())
    hash.update(`\0${path}\0`).update(readFileSync(join(SDK_FOLDER, path)));
  return hash.digest("hex").slice(0, HASH_CHARACTERS);
}

/** Nothing comes from the network. */
async function install(work: string): Promise<void> {
  buildPackage(join(work, "built"));
  const tarball = await packPackage(join(work, "built"), work);
  const folder = join(work, "customer");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  await runNpm(["install", tarball, "--offline", "--ignore-scripts", "--cache", join(work, "cache")], {
    cwd: folder,
    what: "install the SDK",
    stdio: ["ignore", "ignore", 2],
  });
}
