import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  createPlacementMaker,
  ordersOf,
} from "../../../testing/builders/buyers.ts";
import { eventually } from "../../../testing/eventually.ts";
import type { Placement } from "../placing/decide-placements.ts";
import { createPlacementQueues } from "../placing/placement-batch.ts";
import { forwardPlacements } from "./forward-placements.ts";
import { readFrames, writeFrame } from "./frames.ts";
import { packReplies } from "./reply-wire.ts";
import { servePlacements } from "./serve-placements.ts";
import { packSubmissions, unpackSubmissions } from "./submission-wire.ts";
import { packGreeting, WIRE_VERSION } from "./wire-values.ts";

let scrip: TestApp;
let folder: string;
let buyer: Buyer;
let place: (buyer: Buyer, idempotencyKey: string) => Placement;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-"));
  scrip = await createTestApp({});
  await addCard(scrip.db);
  buyer = await addBuyer(scrip, "1000.00");
  place = await createPlacementMaker(scrip.db);
});

after(async () => {
  await scrip.close();
  await rm(folder, { recursive: true, force: true });
});

/** A process that places for all and says what the test wants. It counts what it gets. */
async function openFake(t: TestContext, path: string, onConnect: (socket: Socket) => void) {
  const heard = { connections: 0, messages: 0, closed: 0 };
  const server = createServer((socket) => {
    heard.connections += 1;
    socket.on("error", () => {});
    socket.on("close", () => {
      heard.closed += 1;
    });
    socket.on("data", () => {
      heard.messages += 1;
    });
    onConnect(socket);
  }).listen(path);
  t.after(() => server.close());
  await once(server, "listening");
  return heard;
}

/** Longer than the test takes: nothing here may wait for a deadline. */
const TIMEOUT_MS = 600_000;

function openForwarding(t: TestContext, path: string) {
  const own = createPlacementQueues(scrip.db, scrip.clock);
  const forwarded = forwardPlacements(path, own, TIMEOUT_MS);
  t.after(() => forwarded.close());
  return forwarded;
}

test("a process of another version is sent nothing: the placements are decided here", async (t) => {
  const greetings: [string, (socket: Socket) => void][] = [
    ["newer", (socket) => writeFrame(socket, JSON.stringify([WIRE_VERSION + 1]))],
    ["silent", () => {}],
    ["junk", (socket) => writeFrame(socket, "hello")],
    ["too much", (socket) => writeFrame(socket, packReplies([]))],
  ];
  for (const [name, greet] of greetings) {
    const path = join(folder, name);
    const heard = await openFake(t, path, greet);
    const forwarded = openForwarding(t, path);
    await eventually("it has greeted", async () =>
      heard.connections > 0 && (name === "silent" || heard.closed > 0) ? true : undefined,
    );
    const decision = await forwarded.submit(place(buyer, name));
    assert.deepEqual([decision.kind, heard.messages], ["placed", 0], name);
    forwarded.close();
  }
});

test("a reply to something else ends the connection, and the placement is decided here", async (t) => {
  const path = join(folder, "reply");
  const heard = await openFake(t, path, (socket) => {
    writeFrame(socket, packGreeting());
    readFrames(socket, (bytes) => {
      const [first] = unpackSubmissions(bytes).submissions;
      writeFrame(socket, packReplies([{ id: 999_999, decisions: [{ kind: "conflict" }] }]));
      writeFrame(socket, packReplies([{ id: first?.id ?? 0, decisions: [] }]));
    });
  });
  const forwarded = openForwarding(t, path);
  await eventually("it was asked", async () => {
    const { kind } = await forwarded.submit(place(buyer, `reply ${heard.connections} ${heard.messages}`));
    assert.ok(kind === "placed" || kind === "replayed", kind);
    return heard.closed > 0 ? true : undefined;
  });
});

test("of a message that cannot be read completely nothing is placed", async (t) => {
  const path = join(folder, "unreadable");
  const server = await servePlacements(path, createPlacementQueues(scrip.db, scrip.clock), () => {});
  t.after(() => server.close());
  const poor = await addBuyer(scrip, "100.00");
  const fresh = await createPlacementMaker(scrip.db);
  const submissions = ["one", "two"].map((key, id) => ({
    ...{ id, isGroup: false },
    placements: [fresh(poor, key)],
  }));
  const message = packSubmissions({ deadlineMs: Number.MAX_SAFE_INTEGER, submissions });
  const bad = [
    message.slice(0, -2),
    message.replace(`[${WIRE_VERSION},`, `[${WIRE_VERSION - 1},`),
    message.replace('"two"', "2"),
    packGreeting(),
    "null",
  ];
  for (const text of bad) {
    const socket = connect(path);
    socket.on("error", () => {});
    socket.resume();
    writeFrame(socket, text);
    await once(socket, "close");
  }
  assert.deepEqual(await ordersOf(scrip.db, poor), []);
  const socket = connect(path);
  const replies: string[] = [];
  readFrames(socket, (bytes) => void replies.push(bytes.toString()));
  writeFrame(socket, message);
  await eventually("it is answered", async () => (replies.length > 1 ? true : undefined));
  socket.destroy();
  assert.deepEqual(replies, [packGreeting(), `[${WIRE_VERSION},[0,1],[]]`]);
  assert.equal((await ordersOf(scrip.db, poor)).length, 2);
});
