// `npm run outdated`: the dependencies of every package.json that are behind the registry's newest, or deprecated. It changes
// nothing and exits with 0, also without a network.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { DEPENDENCY_KINDS, MANIFESTS, type Manifest } from "./list-packages.ts";

/** What the registry says about one version of a package. */
export type Published = { newest: string; versions: readonly string[]; deprecated?: string | undefined };
export type View = (name: string, version: string) => Promise<Published>;
export type Outdated = { file: string; name: string; version: string; newest: string; deprecated?: string };

/** Packages that stay in their major version: the Node that is bundled, and its types. */
const SAME_MAJOR = /^(?:node-linux-(?:x64|arm64)|@types\/node)$/;
const AT_A_TIME = 4;
const TIMEOUT_MS = 60_000;

type Wanted = { file: string; name: string; version: string; isAlias: boolean };

/** Packages of this repository are left out. */
function listWanted(root: string): Wanted[] {
  return MANIFESTS.flatMap((file) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(root, file), "utf8"));
    const entries = DEPENDENCY_KINDS.flatMap((kind) => Object.entries(manifest[kind] ?? {}));
    return entries.flatMap(([name, range]) => {
      if (name.startsWith("@scrip/")) return [];
      const alias = /^npm:(.+)@([^@]+)$/.exec(range);
      const [, real = name, version = range] = alias ?? [];
      return [{ file, name: real, version, isAlias: alias !== null }];
    });
  });
}

export async function listOutdated(root: string, view: View): Promise<Outdated[]> {
  const queue = listWanted(root);
  const found: Outdated[] = [];
  const work = async (): Promise<void> => {
    for (let one = queue.shift(); one; one = queue.shift()) {
      const published = await view(one.name, one.version);
      const { file, name, version } = one;
      const newest = newestFor(one, published);
      const { deprecated } = published;
      if (newest !== version || deprecated)
        found.push({ file, name, version, newest, ...(deprecated && { deprecated }) });
    }
  };
  // The first alone: without a network nothing else is asked.
  const [first] = queue;
  if (first) await view(first.name, first.version);
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  const keyOf = ({ file, name }: Outdated): string => `${MANIFESTS.indexOf(file)} ${name}`;
  return found.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** An alias names an old release that the SDK's tests run on: it is old on purpose. */
function newestFor({ name, version, isAlias }: Wanted, { newest, versions }: Published): string {
  if (isAlias) return version;
  if (!SAME_MAJOR.test(name)) return newest;
  const major = version.split(".", 1)[0];
  const ofMajor = versions.filter((one) => one.startsWith(`${major}.`) && !one.includes("-"));
  return ofMajor.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1) ?? version;
}

/** Of the registry, with npm's code for the reason. */
class NoAnswer extends Error {}

/** Asks with npm, which knows the registry, the proxy and the login of this machine. */
async function viewWithNpm(name: string, version: string): Promise<Published> {
  const fields = ["version", "deprecated", "dist-tags.latest", "versions"];
  const args = ["view", `${name}@${version}`, ...fields, "--json", "--loglevel=silent", "--fetch-retries=0"];
  const { stdout } = await promisify(execFile)("npm", args, {
    timeout: TIMEOUT_MS,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stdout?: string }) => {
    throw new NoAnswer(/"code": "(\w+)"/.exec(error.stdout ?? "")?.[1] ?? "npm failed");
  });
  const facts: { versions: string[]; deprecated?: string; "dist-tags.latest": string } = JSON.parse(stdout);
  return { newest: facts["dist-tags.latest"], versions: facts.versions, deprecated: facts.deprecated };
}

export function describeOutdated(found: readonly Outdated[]): string {
  if (found.length === 0) return "every dependency is the registry's newest, and none is deprecated";
  const lines = found.map(({ file, name, version, newest, deprecated }) => {
    const behind = newest === version ? version : `${version} → ${newest}`;
    return `${file}: ${name} ${behind}${deprecated ? `, deprecated: ${deprecated}` : ""}`;
  });
  return lines.join("\n");
}

if (import.meta.main) {
  const { json = false } = parseArgs({ options: { json: { type: "boolean" } } }).values;
  const root = dirname(dirname(import.meta.dirname));
  try {
    const found = await listOutdated(root, viewWithNpm);
    console.log(json ? JSON.stringify({ outdated: found }, null, 2) : describeOutdated(found));
  } catch (reason) {
    if (!(reason instanceof NoAnswer)) throw reason;
    const error = `the registry did not answer (${reason.message}), so nothing was compared; try again with a network`;
    console.log(json ? JSON.stringify({ error }) : error);
  }
}
