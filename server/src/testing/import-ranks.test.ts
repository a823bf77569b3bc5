import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** The house of ARCHITECTURE.md: a file imports its own folder or a lower floor, never upward and never sideways. */
const FLOORS: readonly (readonly string[])[] = [
  ["lib"],
  ["config", "db", "http", "work", "vault"],
  ["keys", "catalog", "wallet", "webhooks", "suppliers"],
  ["sandbox", "resellers"],
  ["orders"],
  ["fulfilment"],
  ["audit", "admin"],
  ["app"],
  ["bin"],
];

const SOURCE = normalize(fileURLToPath(new URL("..", import.meta.url)));
const imports = readImports();

test("every source file is in a known folder, and all of them were read", () => {
  assert.ok(imports.size > 50, `only ${imports.size} files were read`);
  for (const file of imports.keys()) assert.notEqual(floorOf(file), -1, `${file} is in no known folder`);
});

test("a file imports its own folder or a lower floor", () => {
  const faults = [...imports].flatMap(([file, targets]) =>
    targets.filter((target) => !mayImport(file, target)).map((target) => `${file} imports ${target}`),
  );
  assert.deepEqual(faults, []);
});

test("no file imports itself, by any way round", () => {
  assert.equal(findCycle()?.join(" → "), undefined);
});

test("only tests import testing/", () => {
  const faults = [...imports].filter(([, targets]) =>
    targets.some((target) => target.startsWith("testing/")),
  );
  assert.deepEqual(faults, []);
});

function readImports(): Map<string, string[]> {
  const files = globSync("**/*.ts", { cwd: SOURCE }).filter(
    (file) => !file.endsWith(".test.ts") && !file.startsWith("testing/"),
  );
  return new Map(files.map((file) => [file, importsOf(file)]));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), "utf8");
  const specifiers = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...specifiers].map(([, specifier = ""]) => normalize(join(dirname(file), specifier)));
}

const folderOf = (file: string): string => (file.split("/", 1)[0] ?? "").replace(/\.ts$/, "");

const floorOf = (file: string): number => FLOORS.findIndex((floor) => floor.includes(folderOf(file)));

const mayImport = (file: string, target: string): boolean =>
  folderOf(file) === folderOf(target) || floorOf(target) < floorOf(file);

function findCycle(): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const target of imports.get(file) ?? []) {
      const cycle = visit(target, [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}
