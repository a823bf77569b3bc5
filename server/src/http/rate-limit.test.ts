import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../../testing/seed.ts";
import {
  BURST_SECONDS,
  createRateLimiter,
  type LocalRateLimiter,
  rateLimited,
  rateLimitHeaders,
} from "./rate-limit.ts";

const DAY_MS = 86_400_000;

/** A limiter with the clock that it reads. */
function createClockedLimiter(startMs = 0) {
  const clock = { nowMs: startMs };
  return { clock, limiter: createRateLimiter(() => clock.nowMs) };
}

/** How many of the given requests are allowed at this moment. */
const takeMany = (limiter: LocalRateLimiter, bucket: string, rate: number, count: number): number =>
  Array.from({ length: count }, () => limiter.take(bucket, rate)).filter(({ allowed }) => allowed).length;

test("100 requests/s allow a burst of 200, then one request every 10 ms", () => {
  const { clock, limiter } = createClockedLimiter();
  assert.equal(takeMany(limiter, "a", 100, 250), 200);
  clock.nowMs = 9.9;
  assert.equal(takeMany(limiter, "a", 100, 5), 0);
  clock.nowMs = 10;
  assert.equal(takeMany(limiter, "a", 100, 5), 1);
  clock.nowMs = 1_010;
  assert.equal(takeMany(limiter, "a", 100, 250), 100);
  clock.nowMs = DAY_MS;
  assert.equal(takeMany(limiter, "a", 100, 250), 200);
});

test("a refused request and a peek consume nothing", () => {
  const { clock, limiter } = createClockedLimiter();
  takeMany(limiter, "a", 10, 1_000);
  clock.nowMs = 100;
  for (let look = 0; look < 50; look += 1) assert.equal(limiter.peek("a", 10).remaining, 1);
  assert.equal(takeMany(limiter, "a", 10, 3), 1);
});

test("buckets are independent", () => {
  const { limiter } = createClockedLimiter();
  takeMany(limiter, "a", 1, 10);
  assert.equal(takeMany(limiter, "b", 1, 10), 2);
});

test("a changed rate takes effect immediately", () => {
  const { clock, limiter } = createClockedLimiter();
  takeMany(limiter, "a", 1, 10);
  clock.nowMs = 100;
  assert.equal(takeMany(limiter, "a", 1, 1), 0);
  assert.equal(takeMany(limiter, "a", 100, 1_000), 10);
});

test("the result has the remaining quota, the reset time and the time to wait", () => {
  const { clock, limiter } = createClockedLimiter();
  assert.deepEqual(limiter.peek("a", 1), {
    allowed: true,
    remaining: 2,
    resetSeconds: 0,
    retryAfterSeconds: 0,
  });
  assert.deepEqual(limiter.take("a", 1), {
    allowed: true,
    remaining: 1,
    resetSeconds: 1,
    retryAfterSeconds: 0,
  });
  assert.deepEqual(limiter.take("a", 1), {
    allowed: true,
    remaining: 0,
    resetSeconds: 2,
    retryAfterSeconds: 0,
  });
  clock.nowMs = 500;
  assert.deepEqual(limiter.take("a", 1), {
    allowed: false,
    remaining: 0,
    resetSeconds: 2,
    retryAfterSeconds: 1,
  });
  clock.nowMs = 1_000;
  assert.equal(limiter.take("a", 1).allowed, true);
});

test("a caller that waits for Retry-After is allowed", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.nat({ max: 5_000 }), (rate, startMs) => {
      const { clock, limiter } = createClockedLimiter(startMs);
      takeMany(limiter, "a", rate, rate * BURST_SECONDS);
      const refused = limiter.take("a", rate);
      assert.equal(refused.allowed, false);
      clock.nowMs += refused.retryAfterSeconds * 1000;
      assert.equal(limiter.take("a", rate).allowed, true);
    }),
    { seed: SEED, numRuns: 200 },
  );
});

test("in any period at most burst + rate × time requests are allowed, and never fewer than the burst", () => {
  // A process can be up for a year. Accumulated rounding must not matter there either.
  const start = fc.double({ min: 0, max: 366 * DAY_MS, noNaN: true });
  const step = fc.record({
    waitMs: fc.double({ min: 0, max: 900, noNaN: true }),
    requests: fc.nat({ max: 40 }),
  });
  fc.assert(
    fc.property(
      start,
      fc.integer({ min: 1, max: 60 }),
      fc.array(step, { maxLength: 40 }),
      (startMs, rate, steps) => {
        const { clock, limiter } = createClockedLimiter(startMs);
        const burst = rate * BURST_SECONDS;
        let allowed = takeMany(limiter, "a", rate, burst + 1);
        assert.equal(allowed, burst);
        for (const { waitMs, requests } of steps) {
          clock.nowMs += waitMs;
          allowed += takeMany(limiter, "a", rate, requests);
          const most = burst + (rate * (clock.nowMs - startMs)) / 1000;
          assert.ok(allowed <= most + 0.01, `${allowed} of at most ${most}`);
        }
      },
    ),
    { seed: SEED, numRuns: 300 },
  );
});

test("a caller that keeps to the rate is never refused", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fc.nat({ max: 366 * DAY_MS }), (rate, startMs) => {
      const { clock, limiter } = createClockedLimiter(startMs);
      for (let sent = 0; sent < 500; sent += 1) {
        clock.nowMs = startMs + (sent * 1000) / rate;
        assert.equal(limiter.take("a", rate).allowed, true);
      }
    }),
    { seed: SEED, numRuns: 100 },
  );
});

test("the headers follow the IETF draft, and 429 has Retry-After", () => {
  const { limiter } = createClockedLimiter();
  assert.deepEqual(rateLimitHeaders("orders", 100, limiter.take("a", 100)), {
    policy: '"orders";q=200;w=2',
    state: '"orders";r=199;t=1',
  });
  assert.equal(rateLimited(3).options.headers?.["retry-after"], "3");
  assert.equal(rateLimited(3).code, "rate_limited");
});

test("an overdraft takes more than is left, once, and is earned back", () => {
  const { clock, limiter } = createClockedLimiter();
  assert.ok(limiter.overdraw("a", 100, 500).allowed);
  assert.equal(limiter.overdraw("a", 100, 1).allowed, false);
  assert.deepEqual(limiter.take("a", 100), {
    allowed: false,
    remaining: 0,
    resetSeconds: 5,
    retryAfterSeconds: 4,
  });
  clock.nowMs = 2_999;
  assert.equal(limiter.overdraw("a", 100, 1).allowed, false);
  clock.nowMs = 3_000;
  assert.equal(takeMany(limiter, "a", 100, 1), 0);
  clock.nowMs = 3_010;
  assert.equal(takeMany(limiter, "a", 100, 5), 1);
  assert.ok(limiter.overdraw("a", 100, 500).allowed);
});
