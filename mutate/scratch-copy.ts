import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { applyMutant, type Mutant } from "./mutant.ts";

/** A copy of the tree in which files can be changed. */
export type ScratchCopy = {
  root: string;
  /** Puts the mistake in and returns what takes it out again. */
  mutate(mutant: Mutant): () => void;
  remove(): void;
};

/** Packages of the workspace: links to them must lead into the copy. */
const OWN_PACKAGES = "@scrip";

/** Copies what git knows, with changes that are not committed. The dependencies are linked, not copied. */
export function makeScratchCopy(source: string): ScratchCopy {
  const root = mkdtempSync(join(tmpdir(), "scrip-mutate-"));
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: source,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const file of listed.split("\0")) {
    if (file === "") continue;
    mkdirSync(join(root, dirname(file)), { recursive: true });
    try {
      copyFileSync(join(source, file), join(root, file));
    } catch (error) {
      // Deleted and not committed.
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  linkDependencies(source, root);
  return {
    root,
    mutate(mutant) {
      const path = join(root, mutant.file);
      const text = readFileSync(path, "utf8");
      writeFileSync(path, applyMutant(mutant, text));
      return () => writeFileSync(path, text);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function linkDependencies(source: string, root: string): void {
  const from = join(source, "node_modules");
  const to = join(root, "node_modules");
  mkdirSync(join(to, OWN_PACKAGES), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name === OWN_PACKAGES || (name.startsWith(".") && name !== ".bin")) continue;
    symlinkSync(join(from, name), join(to, name));
  }
  for (const name of ["sdk", "server"]) symlinkSync(join(root, name), join(to, OWN_PACKAGES, name));
}
