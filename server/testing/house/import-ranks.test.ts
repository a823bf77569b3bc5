import assert from "node:assert/strict";
import { test } from "node:test";
import { findCircle, type Imports, readImports } from "./read-imports.ts";
import { ROOMS } from "./rooms.ts";

/** Every folder with our TypeScript, including tests and test support: a cycle is a cycle anywhere. */
const CODE = [
  "sdk",
  "server",
  "bench",
  "chaos",
  "deploy",
  "drill",
  "fuzz",
  "ha",
  "mutate",
  "scripts",
  "soak",
];
const PRODUCT = "server/src/";
const FILES_BESIDE_EACH_OTHER_MAX = 25;

const everything = readImports(CODE);
const product: Imports = new Map([...everything].filter(([file]) => isProduct(file)));

test("every product file is in a listed room, and all files were read", () => {
  assert.ok(product.size > 300, `only ${product.size} files were read`);
  for (const file of product.keys()) assert.ok(roomOf(file) in ROOMS, `${file} is in no known room`);
});

test("a room can import only rooms listed before it", () => {
  const names = Object.keys(ROOMS);
  const faults = Object.entries(ROOMS).flatMap(([room, others], index) =>
    others.filter((other) => !names.slice(0, index).includes(other)).map((other) => `${room} → ${other}`),
  );
  assert.deepEqual(faults, []);
});

test("a file imports only its own room, lib, or a room that its own can import", () => {
  assert.deepEqual(findFaults(product), []);
});

test("an import that the list does not allow is detected", () => {
  const wrong: Imports = new Map([[`${PRODUCT}wallet/entry.ts`, [`${PRODUCT}orders/get-order.ts`]]]);
  assert.deepEqual(findFaults(wrong), ["wallet/entry.ts imports orders/get-order.ts"]);
});

test("no product file imports test support", () => {
  const faults = [...product].filter(([, targets]) => targets.some((target) => !isProduct(target)));
  assert.deepEqual(faults, []);
});

test("there are no import cycles, including in tests and tools", () => {
  assert.equal(findCircle(everything)?.join(" → "), undefined);
});

test("a cycle is detected", () => {
  const circle: Imports = new Map([
    ["a.ts", ["b.ts"]],
    ["b.ts", ["c.ts"]],
    ["c.ts", ["b.ts"]],
  ]);
  assert.deepEqual(findCircle(circle), ["b.ts", "c.ts", "b.ts"]);
});

test(`no folder has more than ${FILES_BESIDE_EACH_OTHER_MAX} files side by side, not counting tests`, () => {
  const files = [...everything.keys()].filter((file) => !file.endsWith(".test.ts"));
  const counts = Map.groupBy(files, (file) => file.slice(0, file.lastIndexOf("/")));
  const faults = [...counts].filter(([, files]) => files.length > FILES_BESIDE_EACH_OTHER_MAX);
  assert.deepEqual(
    faults.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  );
});

function isProduct(file: string): boolean {
  return file.startsWith(PRODUCT) && !file.endsWith(".test.ts");
}

function roomOf(file: string): string {
  return (file.slice(PRODUCT.length).split("/", 1)[0] ?? "").replace(/\.ts$/, "");
}

function findFaults(imports: Imports): string[] {
  return [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => isProduct(target) && !mayImport(roomOf(file), roomOf(target)))
      .map((target) => `${file.slice(PRODUCT.length)} imports ${target.slice(PRODUCT.length)}`),
  );
}

function mayImport(room: string, other: string): boolean {
  return room === other || other === "lib" || (ROOMS[room]?.includes(other) ?? false);
}
