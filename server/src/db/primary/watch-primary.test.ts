import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { BeatLine } from "./beat-line.ts";
import { momentNow } from "./primary-lease.ts";
import type { Term } from "./primary-term.ts";
import { BEAT_EVERY_MS, LEASE_MS, type PrimaryWatch, SILENCE_MS, watchPrimary } from "./watch-primary.ts";

/** How a host reacts to a heartbeat: it answers, refuses or stays silent. */
type Mood = "answers" | "refuses" | "silent";
type FakeHost = { mood: Mood; term: Term | undefined; opened: number; beats: number };

const FIRST: Term = { system: "one", timeline: 1 };
const SECOND: Term = { system: "one", timeline: 2 };
const OPEN_LIMIT_MS = 3_000;
const PROMOTED = { mood: "answers", term: SECOND } as const;

/** A watch over hosts whose behavior the test controls, on a test clock. */
function openWorld(t: TestContext, ...moods: Mood[]) {
  let nowMs = 1_000_000;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(performance, "now", () => nowMs);
  t.mock.method(Date, "now", () => nowMs);
  const hosts: FakeHost[] = moods.map((mood) => ({ mood, term: FIRST, opened: 0, beats: 0 }));
  const stuck: (() => void)[] = [];
  const counts = { left: 0, doubts: 0, confirmed: 0 };
  const count = (name: keyof typeof counts) => () => {
    counts[name] += 1;
  };

  /** Silent connections stay silent until the test releases their answers. */
  const ask = (host: FakeHost): Promise<void> => {
    if (host.mood === "refuses") return Promise.reject(new Error("refuses"));
    if (host.mood === "answers") return Promise.resolve();
    return new Promise((resolve) => stuck.push(resolve));
  };
  const open = async (
    index: number,
    judge: (term: Term | undefined) => void,
    signal: AbortSignal,
  ): Promise<BeatLine> => {
    const host = hosts[index] as FakeHost;
    host.opened += 1;
    const { term } = host;
    if (host.mood === "answers") judge(term);
    const sentAt = momentNow();
    const over = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("stopped")));
      setTimeout(() => reject(new Error("did not respond")), OPEN_LIMIT_MS);
    });
    over.catch(() => {});
    await Promise.race([ask(host), over]);
    const beat = () => {
      host.beats += 1;
      return ask(host);
    };
    return { term, sentAt, beat, drop: () => {}, close: async () => {} };
  };
  const watch = watchPrimary({
    hosts: moods.map((_, index) => `host ${index}`),
    open,
    leave: count("left"),
    refusal: () => new Error("no primary"),
    events: {
      onBeat: () => {},
      onDoubt: count("doubts"),
      onConfirmed: count("confirmed"),
    },
  });
  t.after(watch.close);
  const pass = async (ms: number, stepMs = 100): Promise<void> => {
    for (let left = ms; left > 0; left -= stepMs) {
      nowMs += Math.min(left, stepMs);
      t.mock.timers.tick(Math.min(left, stepMs));
      await settle();
    }
  };
  /** The process is paused: time passes, and its timers are late. */
  const standStill = async (ms: number): Promise<void> => {
    nowMs += ms;
    t.mock.timers.tick(SILENCE_MS);
    await settle();
  };
  const answerStuck = async (): Promise<void> => {
    for (const answer of stuck.splice(0)) answer();
    await settle();
  };
  return { watch, hosts: hosts as [FakeHost, FakeHost], counts, pass, standStill, answerStuck };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 8; turn += 1) await new Promise(setImmediate);
};

const outcomeOf = async (confirming: Promise<void>): Promise<string> =>
  Promise.race([
    confirming.then(
      () => "confirmed",
      ({ message }: Error) => message,
    ),
    settle().then(() => "waits"),
  ]);

const use = (watch: PrimaryWatch): Promise<string> => outcomeOf(watch.confirm());

test("a primary is trusted while it answers one write per second", async (t) => {
  const { watch, hosts, counts, pass } = openWorld(t, "answers", "refuses");
  assert.equal(watch.holds(), false, "not confirmed yet");
  assert.equal(await use(watch), "confirmed");
  for (let second = 0; second < 20; second += 1) {
    await pass(BEAT_EVERY_MS);
    assert.equal(watch.holds(), true);
  }
  assert.equal(hosts[0].beats, 20);
  assert.deepEqual(counts, { left: 1, doubts: 0, confirmed: 1 });
});

test("a silent primary is left as soon as another host confirms, within a second plus the silence limit", async (t) => {
  const { watch, hosts, counts, pass } = openWorld(t, "answers", "refuses");
  await use(watch);
  await pass(3_500);
  hosts[0].mood = "silent";
  Object.assign(hosts[1], PROMOTED);
  await pass(BEAT_EVERY_MS + SILENCE_MS);
  assert.equal(watch.index(), 1);
  assert.equal(await use(watch), "confirmed");
  assert.equal(counts.left, 2);
});

test("without another primary a silent one is trusted until the lease ends, and running statements are kept", async (t) => {
  const { watch, hosts, counts, pass, answerStuck } = openWorld(t, "answers", "refuses");
  await use(watch);
  hosts[0].mood = "silent";
  await pass(LEASE_MS);
  assert.equal(watch.holds(), true, "exactly at its end");
  await pass(1);
  assert.equal(watch.holds(), false);
  assert.equal(await use(watch), "no primary", "a silent host delays no one");
  await pass(20_000);
  assert.equal(counts.left, 1, "connections are kept: their statements may still be answered");
  hosts[0].mood = "answers";
  await answerStuck();
  await pass(300);
  assert.equal(await use(watch), "confirmed");
  assert.equal(counts.left, 1);
});

test("with a single silent host, callers wait no longer than one attempt takes", async (t) => {
  const { watch, hosts, pass } = openWorld(t, "answers");
  await use(watch);
  hosts[0].mood = "silent";
  await pass(LEASE_MS + 1);
  const waiting = watch.confirm();
  assert.equal(await outcomeOf(waiting), "waits");
  await pass(OPEN_LIMIT_MS);
  assert.equal(await outcomeOf(waiting), "no primary");
});

test("the same primary is kept if its old connection still answers, and left if only new ones do", async (t) => {
  for (const isAnswered of [true, false]) {
    await t.test(isAnswered ? "slow disk" : "broken path", async (inner) => {
      const { watch, hosts, counts, pass, answerStuck } = openWorld(inner, "answers");
      await use(watch);
      hosts[0].mood = "silent";
      await pass(BEAT_EVERY_MS + SILENCE_MS - 100);
      hosts[0].mood = "answers";
      await pass(200);
      assert.equal(hosts[0].opened, 2, "a new connection was tried");
      if (isAnswered) await answerStuck();
      await pass(1_000);
      assert.equal(watch.holds(), true);
      assert.equal(counts.left, isAnswered ? 1 : 2);
    });
  }
});

test("a heartbeat whose connection breaks is repeated on a new one, and other connections are kept", async (t) => {
  const { watch, hosts, counts, pass } = openWorld(t, "answers", "refuses");
  await use(watch);
  hosts[0].mood = "refuses";
  await pass(BEAT_EVERY_MS);
  hosts[0].mood = "answers";
  await pass(1_000);
  assert.equal(watch.holds(), true);
  assert.deepEqual(counts, { left: 1, doubts: 1, confirmed: 2 });
});

test("a process that has seen a newer primary never returns to an older one, even if it accepts writes", async (t) => {
  const { watch, hosts, pass } = openWorld(t, "answers", "refuses");
  await use(watch);
  Object.assign(hosts[1], PROMOTED);
  hosts[0].mood = "refuses";
  await pass(2_000);
  assert.equal(watch.index(), 1);
  hosts[0].mood = "answers";
  hosts[1].mood = "refuses";
  await pass(30_000);
  assert.equal(watch.index(), 1);
  assert.equal(watch.holds(), false);
  assert.equal(await use(watch), "no primary");
  hosts[0].term = { system: "one", timeline: 3 };
  await pass(1_000);
  assert.equal(watch.index(), 0, "an even newer one is followed");
});

test("a pool connection to a newer primary ends trust in the older one; a connection to an older one is refused", async (t) => {
  const { watch, hosts, counts, pass } = openWorld(t, "answers");
  await use(watch);
  watch.admit(FIRST);
  watch.admit(undefined);
  hosts[0].term = SECOND;
  assert.throws(() => watch.admit(SECOND), /newer/);
  assert.equal(watch.holds(), false);
  await pass(300);
  assert.equal(await use(watch), "confirmed");
  assert.equal(counts.left, 2);
  assert.throws(() => watch.admit(FIRST), /older/);
  assert.equal(watch.holds(), true);
  hosts[0].term = { system: "two", timeline: 1 };
  assert.throws(() => watch.admit({ system: "two", timeline: 1 }), /other/);
  await pass(300);
  assert.equal(counts.left, 3, "another system is followed, as after a switch to an upgraded copy");
});

test("a paused process asks first, and does not count the pause as silence of the database", async (t) => {
  const { watch, hosts, counts, pass, standStill, answerStuck } = openWorld(t, "answers", "refuses");
  await use(watch);
  await pass(500);
  const before = hosts[0].beats;
  await standStill(60_000);
  assert.ok(hosts[0].beats > before, "the heartbeat that was due");
  assert.equal(await use(watch), "confirmed");
  hosts[0].mood = "silent";
  await pass(BEAT_EVERY_MS);
  await standStill(60_000);
  assert.equal(counts.doubts, 0, "the response may be unread");
  hosts[0].mood = "answers";
  await answerStuck();
  assert.equal(await use(watch), "confirmed");
  assert.deepEqual(counts, { left: 1, doubts: 0, confirmed: 1 });
});

test("after a doubt only the answer to a later heartbeat counts", async (t) => {
  const { watch, hosts, pass, answerStuck } = openWorld(t, "answers");
  await use(watch);
  hosts[0].mood = "silent";
  await pass(BEAT_EVERY_MS + 100);
  watch.doubt();
  assert.equal(await use(watch), "waits");
  await answerStuck();
  assert.equal(watch.holds(), false, "that heartbeat was sent before");
  hosts[0].mood = "answers";
  await answerStuck();
  await pass(100);
  assert.equal(await use(watch), "confirmed");
});

test("a clock jump, as after sleep, triggers a heartbeat", async (t) => {
  const { watch } = openWorld(t, "answers");
  await use(watch);
  assert.equal(watch.holds(), true);
  const wallMs = Date.now();
  t.mock.method(Date, "now", () => wallMs + 3_600_000);
  assert.equal(watch.holds(), false);
  assert.equal(await use(watch), "confirmed");
});
