import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { COMPILE_CACHE } from "../../../testing/processes/compile-cache.ts";
import { wideTest } from "../../../testing/wide-test.ts";
import { problemTable } from "../../lib/problem-table.ts";
import { findBreaks } from "./breaks.ts";
import type { OpenApiDocument } from "./openapi.ts";
import { operationsOf } from "./parts.ts";

const COMMITTED = fileURLToPath(new URL("../../../openapi.json", import.meta.url));
const WRITER = fileURLToPath(new URL("../../bin/write-openapi.ts", import.meta.url));

let scrip: TestApp;
let document: OpenApiDocument;
let folder: string;

before(async () => {
  scrip = await createTestApp();
  document = JSON.parse(JSON.stringify(scrip.app.openApi()));
  folder = await mkdtemp(join(tmpdir(), "scrip-openapi-"));
  await writeFile(join(folder, "openapi.json"), (await scrip.call("GET", "/openapi.json")).body);
});

after(async () => {
  await scrip.close();
  await rm(folder, { recursive: true });
});

test("the code does not break the committed document", async () => {
  assert.deepEqual(findBreaks(await readDocument(COMMITTED), document), []);
});

test("npm run openapi writes the committed document byte for byte, without a database", async () => {
  const file = join(folder, "written.json");
  assert.deepEqual(await run(WRITER, file), { code: 0, output: "" });
  assert.deepEqual(await readDocument(file), document);
  assert.ok(
    (await readFile(file)).equals(await readFile(COMMITTED)),
    "server/openapi.json does not match the code: run `npm run openapi` and commit the result",
  );
});

wideTest("npm run openapi lists each break and leaves the file unchanged", async () => {
  const file = join(folder, "older.json");
  const { get: operation } = document.paths["/v1/catalog"] ?? {};
  const older = JSON.stringify({
    ...document,
    paths: { ...document.paths, "/v1/older": { get: operation } },
  });
  await writeFile(file, older);
  const { code, output } = await run(WRITER, file);
  assert.equal(code, 1);
  assert.match(output, /^ {2}GET \/v1\/older was removed$/m);
  assert.equal(await readFile(file, "utf8"), older);
});

test("the served document is the committed one with this server's URL", async () => {
  const served = await readDocument(join(folder, "openapi.json"));
  assert.deepEqual({ ...served, servers: document.servers }, document);
  assert.deepEqual(served.servers, [{ url: "https://api.scrip.example" }]);
});

test("every operation is documented and has a unique operationId", () => {
  const operations = operationsOf(document);
  assert.ok(operations.size > 0);
  for (const [place, { operationId, summary, description, tags }] of operations) {
    assert.match(operationId ?? "", /^[a-z]+([A-Z][a-z]+)*$/, place);
    assert.ok(summary && description && tags?.length, `${place} lacks a summary, description or tag`);
  }
  const ids = [...operations.values()].map(({ operationId }) => operationId);
  assert.deepEqual(ids, [...new Set(ids)]);
});

test("every operation declares a success and the common errors", () => {
  for (const [place, { responses = {}, security }] of operationsOf(document)) {
    const needed = ["400", "500", "503", ...(security?.length === 0 ? [] : ["401", "403", "429"])];
    assert.deepEqual(
      needed.filter((status) => !responses[status]),
      [],
      place,
    );
    assert.ok(
      Object.keys(responses).some((status) => status.startsWith("2")),
      `${place} has no success response`,
    );
  }
});

test("every error response has an example for each of its codes, and each example is a Problem with that status", () => {
  const validate = createAjv().compile({ $ref: `${ID}#/components/schemas/Problem` });
  for (const [place, { responses = {} }] of operationsOf(document)) {
    for (const [status, { content }] of Object.entries(responses).filter(([key]) => key >= "400")) {
      const examples = Object.entries(content?.["application/problem+json"]?.examples ?? {});
      assert.ok(examples.length > 0, `${place} ${status} has no example`);
      for (const [code, { value }] of examples) {
        assert.ok(validate(value), `${place} ${status}: ${JSON.stringify(validate.errors)}`);
        const { title, status: known } = problemTable[code as keyof typeof problemTable];
        const { code: told, title: toldTitle, status: toldStatus } = value as Record<string, unknown>;
        assert.deepEqual([told, toldTitle, toldStatus, status], [code, title, known, String(known)]);
      }
    }
  }
});

test("every schema is valid JSON Schema 2020-12 without unknown keywords, and every reference resolves", () => {
  const ajv = createAjv();
  // Each once: references are by their place in the document, so the same text means the same everywhere.
  const pointers = new Map(schemaPointers(document).map((place) => [JSON.stringify(schemaAt(place)), place]));
  assert.ok(pointers.size > 20, `only ${pointers.size} schemas were found`);
  for (const pointer of pointers.values()) {
    assert.doesNotThrow(() => ajv.compile({ $ref: `${ID}#${pointer}` }), pointer);
    assert.ok(ajv.validateSchema(schemaAt(pointer)), `${pointer}: ${ajv.errorsText()}`);
  }
});

wideTest("redocly reports no errors or warnings for the served document", async () => {
  await writeFile(join(folder, "redocly.yaml"), "extends: [recommended]\n");
  const cli = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));
  const { code, output } = await run(cli, "lint", "--format=stylish", "openapi.json");
  assert.equal(code, 0, output);
  assert.doesNotMatch(output, /warning|error/i);
});

const ID = "https://scrip.example/openapi.json";

/** Strict mode: an unknown keyword is an error, except those that OpenAPI adds. */
function createAjv(): Ajv2020 {
  const keywords = ["x-optional", ...Object.keys(document)];
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, keywords });
  formats.default(ajv);
  return ajv.addSchema(document, ID);
}

/** The locations of schemas: in components, and as `schema` of parameters, headers and bodies. */
function schemaPointers(parent: object, above = ""): string[] {
  return Object.entries(parent).flatMap(([step, value]) => {
    const pointer = `${above}/${encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))}`;
    if (step === "schema" || above === "/components/schemas") return [pointer];
    return typeof value === "object" && value !== null ? schemaPointers(value, pointer) : [];
  });
}

function schemaAt(pointer: string): object {
  const steps = pointer.slice(1).split("/").map(decodeURIComponent);
  const names = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce((parent, name) => (parent as Record<string, object>)[name] ?? {}, document as object);
}

const readDocument = async (file: string): Promise<OpenApiDocument> =>
  JSON.parse(await readFile(file, "utf8"));

/** Runs a script with this Node.js in the folder. The settings stop the linter from contacting external servers. */
const run = (script: string, ...args: string[]): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const env = {
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      HOME: folder,
      REDOCLY_TELEMETRY: "off",
      REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
    };
    execFile(process.execPath, [script, ...args], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: `${stdout}${stderr}` }),
    );
  });
