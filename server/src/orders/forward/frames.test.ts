import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { eventually } from "../../../testing/eventually.ts";
import { createOutbox, HELD_MAX, HOLD_MS, readFrames, writeFrame } from "./frames.ts";

/** An outbox whose clock stands still until the test moves it. */
function openOutbox(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sent: number[][] = [];
  const state = { isBusy: false };
  const say = createOutbox<number>(
    (all) => void sent.push([...all]),
    () => state.isBusy,
  );
  return { sent, state, say };
}

test("what is said in one turn is sent at once and together", async (t) => {
  const { sent, say } = openOutbox(t);
  for (const one of [1, 2, 3]) say(one);
  assert.deepEqual(sent, []);
  await nextTurn();
  say(4);
  await nextTurn();
  assert.deepEqual(sent, [[1, 2, 3], [4]]);
});

test("while the other side is busy, what is said in a moment is sent together", async (t) => {
  const { sent, state, say } = openOutbox(t);
  state.isBusy = true;
  for (const one of [1, 2, 3]) {
    say(one);
    await nextTurn();
  }
  assert.deepEqual(sent, []);
  t.mock.timers.tick(HOLD_MS);
  assert.deepEqual(sent, [[1, 2, 3]]);
  say(4);
  t.mock.timers.tick(HOLD_MS);
  assert.deepEqual(sent, [[1, 2, 3], [4]]);
});

test("as much as a batch takes waits for nothing, and is sent once", async (t) => {
  const { sent, state, say } = openOutbox(t);
  state.isBusy = true;
  const many = Array.from({ length: HELD_MAX + 1 }, (_, index) => index);
  for (const one of many) say(one);
  await nextTurn();
  assert.deepEqual(sent, [many]);
  t.mock.timers.tick(HOLD_MS);
  assert.equal(sent.length, 1);
});

test("messages arrive whole, however their bytes are cut", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "scrip-"));
  const path = join(folder, "frames");
  const arrived: string[] = [];
  const server = createServer((socket) =>
    readFrames(socket, (bytes) => void arrived.push(bytes.toString())),
  ).listen(path);
  t.after(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  await once(server, "listening");
  const socket = connect(path);
  const messages = ["", "one", "Größe 😀", "x".repeat(200_000)];
  const pieces: Buffer[] = [];
  for (const message of messages)
    writeFrame({ write: (bytes: Buffer) => pieces.push(bytes) } as unknown as Socket, message);
  const bytes = Buffer.concat(pieces);
  for (let at = 0; at < bytes.length; at += at < 40 ? 1 : 65_537) {
    socket.write(bytes.subarray(at, at < 40 ? at + 1 : at + 65_537));
    await nextTurn();
  }
  await eventually("all are there", async () => (arrived.length === messages.length ? true : undefined));
  socket.destroy();
  assert.deepEqual(arrived, messages);
});
