import assert from "node:assert/strict";
import { after, before, mock, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { SEED } from "../../../testing/seed.ts";
import { BURST_SECONDS, createRateLimiter, type RateLimiter } from "../rate-limit.ts";
import {
  ALONE_FOR_MS,
  type AllowanceAsk,
  type AllowanceReply,
  createSharedRateLimiter,
  PATIENCE_MS,
} from "./shared-rate-limit.ts";

const BURST_MS = BURST_SECONDS * 1_000;
const PROCESSES = 3;

// A busy machine must not use up the patience.
before(() => mock.timers.enable({ apis: ["setTimeout"] }));
after(() => mock.timers.reset());

/** Several processes with one clock, and what the database would do between them. */
function openProcesses(count = PROCESSES) {
  const clock = { nowMs: 0 };
  const nowMs = () => clock.nowMs;
  const emptyAt = new Map<string, number>();
  const state = { exchanges: 0, processes: count, fails: false };
  const settleOne = ({ bucket, intervalMs, taken, levelMs, wanted }: AllowanceAsk): AllowanceReply => {
    const base = Math.max(
      Math.max(emptyAt.get(bucket) ?? 0, nowMs()) + taken * intervalMs,
      nowMs() + levelMs,
    );
    const granted = Math.max(
      0,
      Math.min(wanted, Math.floor((nowMs() + BURST_MS - base) / intervalMs + 1e-3)),
    );
    emptyAt.set(bucket, base + granted * intervalMs);
    return { granted, levelMs: base + granted * intervalMs - nowMs() };
  };
  const alone: unknown[] = [];
  const limiters = Array.from({ length: count }, () =>
    createSharedRateLimiter({
      local: createRateLimiter(nowMs),
      nowMs,
      processes: () => state.processes,
      onAlone: (error) => void alone.push(error),
      exchange: async (asks) => {
        state.exchanges += 1;
        if (state.fails) throw new Error("the database is away");
        return asks.map(settleOne);
      },
    }),
  );
  return { clock, state, limiters, alone };
}

/** How many of the requests are allowed, sent at once and to the processes in turn. */
async function takeMany(limiters: readonly RateLimiter[], rate: number, count: number): Promise<number> {
  const results = await Promise.all(
    Array.from({ length: count }, (_, index) => limiters[index % limiters.length]?.take("a", rate)),
  );
  return results.filter((result) => result?.allowed).length;
}

test("three processes together grant one allowance, within 10 %, whatever arrives where", async () => {
  const step = fc.record({
    waitMs: fc.nat({ max: 400 }),
    requests: fc.nat({ max: 60 }),
    at: fc.nat({ max: PROCESSES - 1 }),
    everywhere: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 60 }),
      fc.array(step, { maxLength: 30 }),
      async (rate, steps) => {
        const { clock, limiters } = openProcesses();
        const burst = rate * BURST_SECONDS;
        let allowed = await takeMany(limiters, rate, 2 * burst);
        for (const { waitMs, requests, at, everywhere } of steps) {
          clock.nowMs += waitMs;
          allowed += await takeMany(everywhere ? limiters : limiters.slice(at, at + 1), rate, requests);
          const most = 1.1 * (burst + (rate * clock.nowMs) / 1_000);
          assert.ok(allowed <= most + 0.01, `${allowed} of at most ${most}`);
        }
        clock.nowMs += 1_000;
        const before = allowed;
        allowed += await takeMany(limiters, rate, 3 * burst);
        assert.ok(allowed >= 0.9 * (burst + (rate * clock.nowMs) / 1_000) || allowed - before >= rate);
      },
    ),
    { seed: SEED, numRuns: 60 },
  );
});

test("a caller that keeps to the rate is never refused, at one process or at all", async () => {
  for (const spread of [1, PROCESSES]) {
    const { clock, limiters } = openProcesses();
    for (let sent = 0; sent < 600; sent += 1) {
      clock.nowMs = sent * 10;
      assert.ok((await limiters[sent % spread]?.take("a", 100))?.allowed, `${sent}`);
    }
  }
});

test("a busy key is settled for many requests at once, a slow one and a refused one not at all", async () => {
  const { clock, state, limiters } = openProcesses();
  await takeMany(limiters, 100, 300);
  assert.ok(state.exchanges <= 2 * PROCESSES, `${state.exchanges} exchanges for 300 requests`);
  const used = state.exchanges;
  await takeMany(limiters, 100, 300);
  assert.ok(state.exchanges <= used + PROCESSES, "what is known to be used up needs no question");
  state.exchanges = 0;
  for (let second = 0; second < 100; second += 1) {
    clock.nowMs += 1_000;
    for (const limiter of limiters) assert.ok((await limiter.take("slow", 100)).allowed);
  }
  assert.equal(state.exchanges, 0, "a key far below its limit costs nothing");
});

test("a process that is alone asks nobody, and is exact; what it took is told when another joins", async () => {
  const { clock, state, limiters } = openProcesses();
  state.processes = 1;
  assert.equal(await takeMany(limiters.slice(0, 1), 100, 300), 200);
  assert.equal(state.exchanges, 0);
  state.processes = 2;
  clock.nowMs = 200;
  assert.equal(await takeMany(limiters.slice(0, 1), 100, 300), 20);
  assert.ok((await takeMany(limiters.slice(1, 2), 100, 300)) <= 10, "only its untold share");
});

test("a refusal says when to come back, and what is left comes from all processes", async () => {
  const { clock, limiters } = openProcesses();
  const [first, second] = limiters as [RateLimiter, RateLimiter];
  assert.equal(await takeMany([first], 100, 150), 150);
  clock.nowMs = 100;
  assert.equal(await takeMany([second], 100, 100), 60);
  const refused = await second.take("a", 100);
  assert.deepEqual([refused.allowed, refused.remaining, refused.retryAfterSeconds], [false, 0, 1]);
  clock.nowMs += 1_000;
  assert.equal((await second.take("a", 100)).allowed, true);
});

test("an overdraft of one process is known to the others", async () => {
  const { limiters } = openProcesses();
  const [first, second] = limiters as [RateLimiter, RateLimiter];
  assert.ok((await first.overdraw("a", 100, 500)).allowed);
  await turn();
  await turn();
  assert.ok((await takeMany([second], 100, 50)) <= 6, "only its untold share");
});

test("processes that overdraw at the same time get one overdraft together", async () => {
  const { clock, limiters } = openProcesses(8);
  const batches = async () => {
    const results = await Promise.all(
      [...limiters, ...limiters].map(async (one) => {
        const first = await one.take("a", 100);
        return first.allowed ? one.overdraw("a", 100, 149) : first;
      }),
    );
    return results.filter(({ allowed }) => allowed).length;
  };
  // Of a burst of 200 the first batch takes 150, and the second the rest and a debt.
  assert.equal(await batches(), 2);
  clock.nowMs = 900;
  assert.equal(await batches(), 0, "the debt is not earned back yet");
  clock.nowMs = 2_000;
  const [one] = limiters as [RateLimiter];
  const small = await one.overdraw("a", 100, 2);
  assert.ok(small.allowed);
});

test("when the database fails or is silent, requests are decided here, and it is left alone for a while", async () => {
  const { clock, state, limiters, alone } = openProcesses();
  state.fails = true;
  assert.equal(
    await takeMany(limiters.slice(0, 1), 100, 300),
    200,
    "the whole allowance, as if it were alone",
  );
  assert.equal(alone.length, 1);
  const asked = state.exchanges;
  clock.nowMs += ALONE_FOR_MS - 1;
  assert.equal(await takeMany(limiters.slice(0, 1), 100, 300), 200);
  assert.equal(state.exchanges, asked);
  clock.nowMs += 1_000;
  state.fails = false;
  await takeMany(limiters.slice(0, 1), 100, 50);
  assert.ok(state.exchanges > asked, "then it asks again");

  const silent = createSharedRateLimiter({
    local: createRateLimiter(() => 0),
    nowMs: () => 0,
    processes: () => 2,
    onAlone: () => {},
    exchange: () => new Promise(() => {}),
  });
  const waiting = takeMany([silent], 100, 50);
  await turn();
  mock.timers.tick(PATIENCE_MS);
  assert.equal(await waiting, 50, "a silent database refuses nothing");
});
