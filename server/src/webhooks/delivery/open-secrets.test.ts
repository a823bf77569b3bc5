import assert from "node:assert/strict";
import { test } from "node:test";
import { keepOpened } from "./open-secrets.ts";

test("a secret is opened once, for its endpoint and its sealed form, and one that does not open is tried again", () => {
  const opened: string[] = [];
  const open = keepOpened((endpointId, sealed) => {
    opened.push(`${endpointId} ${sealed.toString("hex")}`);
    if (sealed[0] === 0) throw new Error("does not open");
    return `secret ${opened.length}`;
  }, 2);
  const [one, other, bad] = [Buffer.of(1), Buffer.of(2), Buffer.of(0)];
  assert.equal(open("a", one), "secret 1");
  assert.equal(open("a", one), "secret 1");
  assert.equal(open("b", one), "secret 2");
  for (let go = 0; go < 2; go += 1) assert.throws(() => open("a", bad), /does not open/);
  assert.equal(open("a", other), "secret 5");
  // The third secret made room for itself.
  assert.equal(open("a", one), "secret 6");
  assert.deepEqual(opened, ["a 01", "b 01", "a 00", "a 00", "a 02", "a 01"]);
});
