import assert from "node:assert/strict";
import { test } from "node:test";
import { lazily, once } from "./lazily.ts";

test("a value is made when it is first asked for, and once, even when it is undefined", () => {
  let made = 0;
  const value = once(() => {
    made += 1;
    return undefined;
  });
  assert.equal(made, 0);
  assert.equal(value(), undefined);
  assert.equal(value(), undefined);
  assert.equal(made, 1);
});

test("a function is made at its first call, and one that cannot be made is tried again at the next", () => {
  let tries = 0;
  const double = lazily(() => {
    tries += 1;
    if (tries === 1) throw new Error("not yet");
    return (number: number) => number * 2;
  });
  assert.throws(() => double(1), /not yet/);
  assert.deepEqual([double(2), double(3)], [4, 6]);
  assert.equal(tries, 2);
});
