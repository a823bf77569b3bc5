import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { BeatLine } from "./beat-line.ts";
import { momentNow } from "./primary-lease.ts";
import type { Term } from "./primary-term.ts";
import { BEAT_EVERY_MS, LEASE_MS, type PrimaryWatch, SILENCE_MS, watchPrimary } from "./watch-primary.ts";

/** What a host does when it is asked to confirm: answers, refuses, or says nothing. */
type Mood = "answers" | "refuses" | "silent";
type FakeHost = { mood: Mood; term: Term | undefined; opened: number; beats: number };

const FIRST: Term = { system: "one", timeline: 1 };
const SECOND: Term = { system: "one", timeline: 2 };
const OPEN_LIMIT_MS = 3_000;
const PROMOTED = { mood: "answers", term: SECOND } as const;

/** A watch over hosts whose behaviour the test sets, with time that moves when the test says so. */
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

  /** Lines that fell silent stay so until the test lets their answers through. */
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
      setTimeout(() => reject(new Error("gave no answer")), OPEN_LIMIT_MS);
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
  /** The process stands still: time passes, and its timers come late. */
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

test("a primary is trusted while it answers one write each second", async (t) => {
  const { watch, hosts, counts, pass } = openWorld(t, "answers", "refuses");
  assert.equal(watch.holds(), false, "nobody has confirmed yet");
  assert.equal(await use(watch), "confirmed");
  for (let second = 0; second < 20; second += 1) {
    await pass(BEAT_EVERY_MS);
    assert.equal(watch.holds(), true);
  }
  assert.equal(hosts[0].beats, 20);
  assert.deepEqual(counts, { left: 1, doubts: 0, confirmed: 1 });
});

test("a primary that falls silent is left as soon as another host confirms, within a second and the silence", async (t) => {
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

test("without another primary a silent one is trusted until the lease ends, and nothing under way is dropped", async (t) => {
  const { watch, hosts, counts, pass, answerStuck } = openWorld(t, "answers", "refuses");
  await use(watch);
  hosts[0].mood = "silent";
  await pass(LEASE_MS);
  assert.equal(watch.holds(), true, "exactly at its end");
  await pass(1);
  assert.equal(watch.holds(), false);
  assert.equal(await use(watch), "no primary", "a host that is silent holds nobody up");
  await pass(20_000);
  assert.equal(counts.left, 1, "connections are kept: the statements on them may still be answered");
  hosts[0].mood = "answers";
  await answerStuck();
  await pass(300);
  assert.equal(await use(watch), "confirmed");
  assert.equal(counts.left, 1);
});

test("a single host that is silent makes those who come wait, and no longer than an attempt takes", async (t) => {
  const { watch, hosts, pass } = openWorld(t, "answers");
  await use(watch);
  hosts[0].mood = "silent";
  await pass(LEASE_MS + 1);
  const waiting = watch.confirm();
  assert.equal(await outcomeOf(waiting), "waits");
  await pass(OPEN_LIMIT_MS);
  assert.equal(await outcomeOf(waiting), "no primary");
});

test("the same primary is kept when its old connection answers after all, and left when only new ones do", async (t) => {
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

test("a heartbeat whose connection breaks is made again on a new one, and the others are kept", async (t) => {
  const { watch, hosts, counts, pass } = openWorld(t, "answers", "refuses");
  await use(watch);
  hosts[0].mood = "refuses";
  await pass(BEAT_EVERY_MS);
  hosts[0].mood = "answers";
  await pass(1_000);
  assert.equal(watch.holds(), true);
  assert.deepEqual(counts, { left: 1, doubts: 1, confirmed: 2 });
});

test("whoever has seen the newer primary never goes back to the older one, although it takes writes", async (t) => {
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
  assert.equal(watch.index(), 0, "a newer one still is followed");
});

test("a connection of the pool to a newer primary ends the trust in the older; one to an older is refused", async (t) => {
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
  assert.equal(counts.left, 3, "another system is followed: a switch to an upgraded copy");
});

test("a process that stood still itself asks first, and takes the database for silent no more than before", async (t) => {
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
  assert.equal(counts.doubts, 0, "the answer may lie there unread");
  hosts[0].mood = "answers";
  await answerStuck();
  assert.equal(await use(watch), "confirmed");
  assert.deepEqual(counts, { left: 1, doubts: 0, confirmed: 1 });
});

test("after a doubt only an answer to a later question counts", async (t) => {
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

test("a clock that leaps, as after a machine has slept, is a reason to ask", async (t) => {
  const { watch } = openWorld(t, "answers");
  await use(watch);
  assert.equal(watch.holds(), true);
  const wallMs = Date.now();
  t.mock.method(Date, "now", () => wallMs + 3_600_000);
  assert.equal(watch.holds(), false);
  assert.equal(await use(watch), "confirmed");
});
