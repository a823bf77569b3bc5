import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createLog } from "../../lib/log.ts";
import type { Duty, FromProcess, ToProcess } from "./messages.ts";
import { type Child, FIRST_PAUSE_MS, LONGEST_PAUSE_MS, supervise } from "./supervise.ts";

type FakeChild = Child & {
  duty: Duty;
  sent: ToProcess[];
  signals: string[];
  says(message: FromProcess): void;
  ends(code: number | null, signal?: string): void;
};

const duty = (label: string): Duty => ({ label, role: "api", listens: true, placer: undefined });
const READY: FromProcess = { kind: "ready", address: "http://localhost:8080", consoleAddress: undefined };

function createFake(of: Duty): FakeChild {
  const listeners: ((message: FromProcess) => void)[] = [];
  const ends: ((code: number | null, signal: string | null) => void)[] = [];
  const sent: ToProcess[] = [];
  const signals: string[] = [];
  return {
    duty: of,
    pid: 1,
    sent,
    signals,
    send: (message) => void sent.push(message),
    kill: (signal) => void signals.push(signal),
    onMessage: (listener) => void listeners.push(listener),
    onEnd: (listener) => void ends.push(listener),
    says: (message) => {
      for (const listener of listeners) listener(message);
    },
    ends: (code, signal) => {
      for (const end of ends) end(code, signal ?? null);
    },
  };
}

/** A supervision of fakes, with a clock that the test moves. */
function open(t: TestContext, labels: readonly string[]) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const started: FakeChild[] = [];
  const logged: string[] = [];
  const supervision = supervise({
    duties: labels.map(duty),
    fork: (of) => {
      const child = createFake(of);
      started.push(child);
      return child;
    },
    embeddedUrl: undefined,
    log: createLog("info", { write: (line) => void logged.push(line) }),
    onMessage: () => {},
    onEnd: () => {},
  });
  const pass = (ms: number): void => {
    nowMs += ms;
    t.mock.timers.tick(ms);
  };
  const last = (): FakeChild => started.at(-1) as FakeChild;
  return { supervision, started, logged, pass, last };
}

test("a process gets its duty when it is up, and the machine is ready when all are", async (t) => {
  const { supervision, started } = open(t, ["http-1", "http-2"]);
  for (const child of started) child.says({ kind: "up" });
  assert.deepEqual(started[1]?.sent, [{ kind: "begin", duty: duty("http-2"), embeddedUrl: undefined }]);
  for (const child of started) child.says(READY);
  assert.deepEqual(await supervision.ready, [READY, READY]);
});

test("a start fails with the reason of the first process that cannot start", async (t) => {
  const { supervision, started } = open(t, ["http-1", "http-2"]);
  started[0]?.says({ kind: "failed", message: "PORT 80 needs more privileges" });
  started[0]?.ends(1);
  await assert.rejects(supervision.ready, /^Error: PORT 80 needs more privileges$/);
  const stopped = supervision.stop();
  assert.deepEqual(started[1]?.sent, [{ kind: "stop" }]);
  started[1]?.ends(0);
  await stopped;
  assert.equal(started.length, 2);
});

test("a process that dies at the start without a word is named", async (t) => {
  const { supervision, last } = open(t, ["http-1"]);
  last().ends(null, "SIGSEGV");
  await assert.rejects(supervision.ready, /^Error: process http-1 ended \(SIGSEGV\)$/);
});

test("a process that dies again and again is started with growing pauses, and the log says so", async (t) => {
  const { supervision, started, logged, pass, last } = open(t, ["http-1"]);
  last().says(READY);
  await supervision.ready;
  const pauses: number[] = [];
  for (let life = 0; life < 12; life += 1) {
    const before = started.length;
    last().ends(null, "SIGKILL");
    let waitedMs = 0;
    for (; started.length === before; waitedMs += 100) pass(100);
    pauses.push(waitedMs);
    last().says(READY);
  }
  assert.deepEqual(pauses.slice(0, 4), [200, 400, 800, 1_600]);
  assert.equal(pauses.at(-1), LONGEST_PAUSE_MS);
  assert.match(logged[0] ?? "", /"process":"http-1".*"a process ended; starting it again"/);
  assert.match(logged.at(-1) ?? "", /"times":12.*ends again and again soon after its start/);
  pass(60_000);
  last().ends(0);
  pass(FIRST_PAUSE_MS);
  assert.equal(started.length, 14, "a process that ran for long starts again soon");
});

test("a process that does not become ready is killed and started again", async (t) => {
  const { supervision, started, logged, pass, last } = open(t, ["http-1"]);
  last().says(READY);
  await supervision.ready;
  last().ends(1);
  pass(FIRST_PAUSE_MS);
  pass(60_000);
  assert.deepEqual(last().signals, ["SIGKILL"]);
  last().ends(null, "SIGKILL");
  assert.match(logged.at(-1) ?? "", /did not start within 60 s/);
  pass(FIRST_PAUSE_MS);
  assert.equal(started.length, 3);
});

test("a stop asks all processes, kills those that take too long, and starts nothing again", async (t) => {
  const { supervision, started, pass } = open(t, ["http-1", "http-2"]);
  for (const child of started) child.says(READY);
  await supervision.ready;
  const stopped = supervision.stop();
  for (const child of started) assert.deepEqual(child.sent, [{ kind: "stop" }]);
  started[0]?.ends(0);
  pass(31_999);
  assert.deepEqual(started[1]?.signals, []);
  pass(1);
  assert.deepEqual(started[1]?.signals, ["SIGKILL"]);
  started[1]?.ends(null, "SIGKILL");
  await stopped;
  pass(LONGEST_PAUSE_MS);
  assert.equal(started.length, 2);
  assert.deepEqual(supervision.children(), []);
});
