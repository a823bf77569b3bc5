import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

/** The imports of each file, as paths from the root of the checkout. */
export type Imports = ReadonlyMap<string, readonly string[]>;

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export function readImports(folders: readonly string[]): Imports {
  const files = globSync(
    folders.map((folder) => `${folder}/**/*.{ts,mjs}`),
    { cwd: ROOT, exclude: (path) => path.includes("node_modules") },
  );
  return new Map(files.map((file) => [file, importsOf(file)]));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const specifiers = text.matchAll(
    /^\s*(?:import|export|\}).*from "(\.[^"]+)"|\bimport[\s(]\s*"(\.[^"]+)"/gm,
  );
  return [...specifiers].map(([, named = "", plain = ""]) => normalize(join(dirname(file), named || plain)));
}

export function findCircle(imports: Imports): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const target of imports.get(file) ?? []) {
      const circle = visit(target, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const circle = visit(file, []);
    if (circle) return circle;
  }
  return undefined;
}
