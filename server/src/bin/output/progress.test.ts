import assert from "node:assert/strict";
import { test } from "node:test";
import { startProgress } from "./progress.ts";

function watch(isTTY: boolean) {
  const written: string[] = [];
  let now = 0;
  const progress = startProgress("rows read", { isTTY, write: (text) => written.push(text) }, () => now);
  return {
    written,
    at(ms: number, done: number, share?: number) {
      now = ms;
      progress.advance(done, share);
    },
    end: () => progress.end(),
  };
}

test("work of less than two seconds prints nothing", () => {
  const { written, at, end } = watch(true);
  at(100, 10, 0.1);
  at(1_999, 1_000, 0.9);
  end();
  assert.deepEqual(written, []);
});

test("a terminal shows one line with a bar, rate and remaining time, at most five times a second, and clears it at the end", () => {
  const { written, at, end } = watch(true);
  at(2_000, 40_000, 0.25);
  at(2_100, 42_000, 0.26);
  at(4_000, 80_000, 0.5);
  end();
  assert.deepEqual(written, [
    "\r\u001b[K█████░░░░░░░░░░░░░░░ 40,000 rows read · 20,000/s · 25 % · 6 s left",
    "\r\u001b[K██████████░░░░░░░░░░ 80,000 rows read · 20,000/s · 50 % · 4 s left",
    "\r\u001b[K",
  ]);
});

test("a log gets a line every ten seconds, without a remaining time when the total is unknown", () => {
  const { written, at, end } = watch(false);
  for (let second = 1; second <= 13; second += 1) at(second * 1_000, second * 100);
  at(300_000, 30_000, 0.5);
  end();
  assert.deepEqual(written, [
    "200 rows read · 100/s\n",
    "1,200 rows read · 100/s\n",
    "30,000 rows read · 100/s · 50 % · 5 min 0 s left\n",
  ]);
});
