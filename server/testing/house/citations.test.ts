import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { countCitations, findWrongCitations, readCitable } from "./find-citations.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const SOURCES = [
  "{bench,chaos,deploy,fuzz,ha,scripts,sdk,server,soak}/**/*.{ts,mjs,sql}",
  "docs/**/*.md",
  "*.md",
];
const DOCUMENTS = ["*.md", "docs/**/*.md", "sdk/README.md"];
/** The folders that a path in ARCHITECTURE.md or CONTRIBUTING.md is relative to. */
const PATH_ROOTS = [
  "",
  "server",
  "server/src",
  "server/testing",
  "server/src/fulfilment",
  "server/src/webhooks",
];

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const find = (patterns: readonly string[]): string[] =>
  globSync(patterns, { cwd: ROOT, exclude: (path) => path.includes("node_modules") });

const citable = readCitable(read("docs/spec.md"), read("docs/contract.md"));

test("every citation of CONTRACT and SPEC.md points at a section that exists", () => {
  const files = find(SOURCES).filter((file) => !file.includes("citations"));
  const count = files.reduce((sum, file) => sum + countCitations(read(file)), 0);
  assert.ok(count > 60, `only ${count} citations were found`);
  assert.deepEqual(
    files.flatMap((file) => findWrongCitations(read(file), citable).map((wrong) => `${file}: ${wrong}`)),
    [],
  );
});

test("a citation of a section that does not exist is found", () => {
  const wrong = [
    "CONTRACT 10: a section that is not there",
    "CONTRACT without a number",
    "CONTRACT 1, Postage: a part that is not there",
    "CONTRACT 7, `webhook_lost`",
    "SPEC.md, Weather",
    "(SPEC.md,\n * Weather)",
    "SPEC, Events",
  ];
  for (const text of wrong) assert.equal(findWrongCitations(`/** ${text} */`, citable).length, 1, text);
  const right = [
    "CONTRACT 9",
    "As in CONTRACT 7.",
    "CONTRACT 1, Check order: headers first",
    "CONTRACT 8, Files",
    "CONTRACT 7, `webhook_late`",
    "(SPEC.md,\n * Versioning)",
    "the envelope of SPEC.md, which",
  ];
  for (const text of right) assert.deepEqual(findWrongCitations(`/** ${text} */`, citable), [], text);
});

test("every link between documents leads to a file and a heading that exist", () => {
  assert.deepEqual(find(DOCUMENTS).flatMap(findDeadLinks), []);
});

test("every path that ARCHITECTURE.md and CONTRIBUTING.md name exists", () => {
  const faults = ["ARCHITECTURE.md", "CONTRIBUTING.md"].flatMap((document) =>
    [...read(document).matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)].flatMap(([, path = ""]) =>
      pathExists(path) ? [] : [`${document}: ${path}`],
    ),
  );
  assert.deepEqual(faults, []);
});

function findDeadLinks(document: string): string[] {
  const text = read(document).replaceAll(/^```.*?^```/gms, "");
  return [...text.matchAll(/\]\(((?!https?:|\/)[^)\s]+)\)/g)].flatMap(([, link = ""]) => {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? document : join(dirname(document), path);
    if (!existsSync(join(ROOT, target))) return [`${document}: ${link}`];
    return anchor === undefined || anchorsOf(read(target)).includes(anchor) ? [] : [`${document}: ${link}`];
  });
}

const anchorsOf = (document: string): string[] =>
  [...document.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

/** `keys/authenticate` names server/src/keys/authenticate.ts; an npm package or a URL path is not ours to check. */
function pathExists(path: string): boolean {
  if (!/^[a-z]/.test(path) || /NNNN|NAME/.test(path)) return true;
  return PATH_ROOTS.some((root) =>
    ["", ".ts", ".mjs"].some((extension) => existsSync(join(ROOT, root, path + extension))),
  );
}

/** The lines that a merge leaves where both sides changed a file. A heading of Markdown may be underlined with more or fewer signs. */
const CONFLICT = /^(?:<{7}|\|{7}|={7}|>{7})(?: .*)?$/m;

test("no file has the marks of a merge that was not finished", () => {
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" }).split("\0");
  const tracked = files.filter((file) => file !== "" && existsSync(join(ROOT, file)));
  assert.ok(tracked.length > 1_000, `only ${tracked.length} files are tracked`);
  assert.deepEqual(
    tracked.filter((file) => CONFLICT.test(read(file).replaceAll("\r\n", "\n"))),
    [],
  );
  const sides = ["<", "=", ">"].map((sign) => sign.repeat(7));
  for (const side of sides) assert.match(`one\n${side} side\nother`, CONFLICT);
});
