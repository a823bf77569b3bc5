import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { generateKey } from "../../server/src/keys/key-format.ts";
import { describeLicences, isAllowed } from "./describe-licences.ts";
import { findSecrets } from "./find-secrets.ts";
import { KNOWN_EXAMPLES, TEST_CERTIFICATES } from "./known-examples.ts";
import {
  DEPENDENCY_KINDS,
  type LockedPackage,
  listPackages,
  MANIFESTS,
  type Manifest,
} from "./list-packages.ts";

const root = dirname(dirname(import.meta.dirname));
const packages = listPackages(root);
/** An exact version, or another package at one: `npm:typescript@5.0.4`. */
const EXACT = /^(?:npm:[@a-z0-9/._-]+@)?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;
/** Pictures are not text, and lock files consist of hashes. */
const NOT_SCANNED = /\.(?:png|ico|woff2)$|package-lock\.json$/;
const IGNORED = new Set(["node_modules", ".git", ".scrip", "dist", "coverage", "secrets"]);

const read = (file: string): string => readFileSync(join(root, file), "utf8");

test("every dependency has an exact version, and every package of the lock file has a hash", () => {
  for (const file of MANIFESTS) {
    const manifest: Manifest = JSON.parse(read(file));
    for (const kind of DEPENDENCY_KINDS)
      for (const [name, version] of Object.entries(manifest[kind] ?? {}))
        assert.match(version, EXACT, `${file}: ${name}`);
  }
  assert.ok(packages.length > 200, `only ${packages.length} packages were read`);
  const unhashed = packages.filter(({ integrity }) => !integrity?.startsWith("sha512-"));
  assert.deepEqual(
    unhashed.map(({ name }) => name),
    [],
  );
});

test("only allowed licences are in use, and docs/licences.md lists them", () => {
  assert.deepEqual(
    packages.filter((one) => !isAllowed(one)).map(({ name, licence }) => `${name}: ${licence}`),
    [],
  );
  const page = describeLicences(packages);
  if (process.env.WRITE_DOCS === "1") writeFileSync(join(root, "docs/licences.md"), page);
  assert.equal(read("docs/licences.md"), page, "run WRITE_DOCS=1 npm test -- scripts/supply-chain");
});

test("no product file imports a package for development", () => {
  const { devDependencies = {} }: Manifest = JSON.parse(read("server/package.json"));
  const files = globSync(["server/src/**/*.ts", "sdk/src/**/*.ts"], { cwd: root }).filter(
    (file) => !file.endsWith(".test.ts"),
  );
  assert.ok(files.length > 300, `only ${files.length} files were read`);
  const faults = files.flatMap((file) =>
    [...read(file).matchAll(/(?:from|import\(?) ?"((?:@[^"/]+\/)?[^"/]+)/g)]
      .filter(([, name = ""]) => name in devDependencies)
      .map(([, name]) => `${file} imports ${name}`),
  );
  assert.deepEqual(faults, []);
});

test("a licence that is not allowed is noticed", () => {
  const isFine = (licence: string, isForDevelopment = false) =>
    isAllowed({ licence, isForDevelopment } as LockedPackage);
  for (const licence of ["GPL-3.0", "MIT AND GPL-3.0", "unknown", "MPL-2.0"])
    assert.equal(isFine(licence), false);
  for (const licence of ["MIT", "(MIT OR GPL-3.0)", "MIT AND ISC"]) assert.equal(isFine(licence), true);
  assert.equal(isFine("MPL-2.0", true), true);
});

test("the repository contains no secrets", () => {
  const files = globSync("**", {
    cwd: root,
    withFileTypes: true,
    exclude: ({ name }) => IGNORED.has(name),
  }).flatMap((entry) =>
    entry.isFile() && !NOT_SCANNED.test(entry.name)
      ? [join(entry.parentPath, entry.name).slice(root.length + 1)]
      : [],
  );
  assert.ok(files.length > 1_500, `only ${files.length} files were read`);
  const found = files
    .filter((file) => !TEST_CERTIFICATES.some((folder) => file.startsWith(folder)))
    .flatMap((file) => findSecrets(file, read(file)))
    .filter(({ text }) => !KNOWN_EXAMPLES.has(text));
  // The text itself is not printed: logs are kept.
  assert.deepEqual(
    found.map(({ file, line, kind }) => `${file}:${line}: ${kind}`),
    [],
  );
});

test("secrets of every kind are found, and words are not", () => {
  // In two parts, so that this file passes.
  const random = ["q7RzK2vXw9LpT4sNdY8bFhJ3", "mC6gVaEu1iQoZ5xB0tWk"].join("");
  const secrets = [
    generateKey("live"),
    `whsec_${random.slice(0, 43)}=`,
    ["-----BEGIN OPENSSH PRIVATE", "KEY-----"].join(" "),
    `SCRIP_MASTER_KEY=${"ab".repeat(32)}`,
    ["postgres://scrip", "correct-horse@db"].join(":"),
    `AKIA${"ABCD1234".repeat(2)}`,
    `ghp_${random.slice(0, 36)}`,
    `npm_${random.slice(0, 36)}`,
    random,
  ];
  for (const secret of secrets)
    assert.notDeepEqual(findSecrets("a.ts", `const it = "${secret}";`), [], secret.slice(0, 8));
  const words = [
    "aLongNameOfAFunctionThatSaysWhatItDoesWithWords",
    "a".repeat(60),
    "0123456789abcdef".repeat(4),
  ];
  for (const word of words) assert.deepEqual(findSecrets("a.ts", word), [], word);
});
