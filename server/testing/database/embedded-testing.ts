import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Account } from "../../src/db/embedded/run-program.ts";
import { stopServer } from "../../src/db/embedded/stop-server.ts";

/** Another process that has the database open. */
export type Opener = {
  process: ChildProcess;
  connectionString: string;
  startedHere: boolean;
  /** Asks it to close, and waits until the process has ended. */
  close(): Promise<void>;
  kill(): Promise<void>;
};

const CONDITION_TIMEOUT_MS = 30_000;
/** Each look opens a connection. */
const POLL_MS = 25;

const MAIN = new URL("../../src/db/embedded/open-embedded.ts", import.meta.url).href;
const SCRIPT = `
  const { openEmbedded } = await import(${JSON.stringify(MAIN)});
  const database = await openEmbedded({ dataDir: process.argv[1], log: () => {} });
  const { connectionString, startedHere } = database;
  process.stdout.write(JSON.stringify({ connectionString, startedHere }) + "\\n");
  process.stdin.resume().once("end", () => database.close());
`;

/** A directory that is removed after the test, together with anything that still runs in it. */
export async function makeDataDir(t: TestContext, ...below: string[]): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "scrip-embedded-test-"));
  const dataDir = join(root, ...below, ".scrip");
  atEnd(t, async () => {
    await stopServer(dataPathOf(dataDir));
    await rm(root, { recursive: true, force: true });
  });
  return dataDir;
}

/** The runner's hooks run in registration order, but what was opened last must be closed first. */
export function atEnd(t: TestContext, cleanUp: () => unknown): void {
  let cleanUps = cleanUpsOf.get(t);
  if (cleanUps === undefined) {
    const list: (() => unknown)[] = [];
    cleanUpsOf.set(t, list);
    t.after(async () => {
      for (const next of list.reverse()) await next();
    });
    cleanUps = list;
  }
  cleanUps.push(cleanUp);
}

const cleanUpsOf = new WeakMap<TestContext, (() => unknown)[]>();

export async function openInProcess(
  t: TestContext,
  dataDir: string,
  account: Partial<Account> = {},
): Promise<Opener> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", SCRIPT, dataDir], {
    stdio: ["pipe", "pipe", "inherit"],
    cwd: "/",
    ...account,
  });
  const ended = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  atEnd(t, kill);
  const [line] = await once(createInterface(child.stdout), "line");
  const close = async () => {
    child.stdin.end();
    await ended;
  };
  return { process: child, ...JSON.parse(line), close, kill };
}

export async function query<Row extends pg.QueryResultRow>(
  connectionString: string,
  text: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONDITION_TIMEOUT_MS });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

export function dataPathOf(dataDir: string): string {
  return join(dataDir, "db", "data");
}

export async function postmasterPid(dataDir: string): Promise<number> {
  const content = await readFile(join(dataPathOf(dataDir), "postmaster.pid"), "utf8");
  return Number.parseInt(content, 10);
}

/** Waits for a condition. An attempt that throws counts as not yet true. */
export async function until<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + CONDITION_TIMEOUT_MS;
  for (;;) {
    const result = await attempt().catch(() => undefined);
    if (result !== undefined) return result;
    if (Date.now() > deadline) throw new Error("timed out waiting for the condition");
    await delay(POLL_MS);
  }
}
