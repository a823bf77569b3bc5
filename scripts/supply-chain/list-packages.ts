import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Every package.json with dependencies. */
export const MANIFESTS = [
  "package.json",
  "server/package.json",
  "sdk/package.json",
  "sdk/runtimes/package.json",
];
export const DEPENDENCY_KINDS = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
] as const;
export type Manifest = Partial<Record<(typeof DEPENDENCY_KINDS)[number], Record<string, string>>>;

/** A package of another author, as package-lock.json has it. */
export type LockedPackage = {
  name: string;
  version: string;
  licence: string;
  /** The hash of what is installed. */
  integrity: string | undefined;
  /** Only for development: no part of what is served or published. */
  isForDevelopment: boolean;
};

type LockEntry = {
  version?: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  devOptional?: boolean;
  link?: boolean;
};

/** Packages that state their licence where npm does not look for it. */
const STATED_ELSEWHERE: Readonly<Record<string, string>> = {
  // In the field "licenses" of its package.json, as npm wrote it before 2014.
  "reserved@0.1.2": "MIT",
};

/** Each package and version once, by name. */
export function listPackages(root: string): LockedPackage[] {
  const lock: { packages: Record<string, LockEntry> } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8"),
  );
  const found = new Map<string, LockedPackage>();
  for (const [path, entry] of Object.entries(lock.packages)) {
    const name = path.split("node_modules/").at(-1) ?? "";
    if (!path.includes("node_modules/") || entry.link) continue;
    const version = entry.version ?? "";
    const key = `${name}@${version}`;
    const isForDevelopment = (entry.dev ?? false) && (found.get(key)?.isForDevelopment ?? true);
    const licence = entry.license ?? STATED_ELSEWHERE[key] ?? "unknown";
    found.set(key, { name, version, licence, integrity: entry.integrity, isForDevelopment });
  }
  return [...found.values()].sort((a, b) => (a.name + a.version < b.name + b.version ? -1 : 1));
}
