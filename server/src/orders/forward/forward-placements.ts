import { connect, type Socket } from "node:net";
import type { Placement } from "../decide-placements.ts";
import type { BatchDecision, PlacementQueues } from "../placement-batch.ts";
import { createOutbox, readFrames, writeFrame } from "./frames.ts";
import {
  type ForwardedDecision,
  packSubmissions,
  type Reply,
  type Submission,
  unpackReplies,
} from "./placement-wire.ts";

export type ForwardedQueues = PlacementQueues & { close(): void };

/** A placement without an answer for this long is decided here. */
const FORWARD_TIMEOUT_MS = 5_000;
const RECONNECT_PAUSE_MS = 500;
const LOOK_EVERY_MS = 500;

type InFlight = {
  submission: Submission;
  sentAtMs: number;
  resolve: (decisions: readonly BatchDecision[]) => void;
  reject: (error: unknown) => void;
};

type Forwarding = {
  path: string;
  own: PlacementQueues;
  socket: Socket | undefined;
  /** In the order in which they were sent. */
  inFlight: Map<number, InFlight>;
  isClosed: boolean;
  timer: NodeJS.Timeout | undefined;
};

/**
 * Hands placements to the process of this machine that places for all, and decides here whenever that one is away. A
 * placement whose answer was lost is submitted here with the same order id, as after a lost answer to a COMMIT: if it
 * was placed, its key is bound to that id and the order is found.
 */
export function forwardPlacements(
  path: string,
  own: PlacementQueues,
  timeoutMs = FORWARD_TIMEOUT_MS,
): ForwardedQueues {
  const state: Forwarding = {
    ...{ path, own, socket: undefined, inFlight: new Map() },
    ...{ isClosed: false, timer: undefined },
  };
  open(state);
  const watch = setInterval(() => dropIfSilent(state, timeoutMs), Math.min(timeoutMs, LOOK_EVERY_MS));
  watch.unref();
  let lastId = 0;
  const send = createOutbox<InFlight>((all) => sendAll(state, all));
  const forward = (placements: readonly Placement[], isGroup: boolean): Promise<readonly BatchDecision[]> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      const submission = { id: lastId, isGroup, placements };
      send({ submission, sentAtMs: performance.now(), resolve, reject });
    });
  // A function cannot be sent.
  const canForward = (placements: readonly Placement[]): boolean =>
    state.socket !== undefined && placements.every(({ priceAgain }) => priceAgain === undefined);
  return {
    submit: async (placement) =>
      canForward([placement])
        ? ((await forward([placement], false))[0] as BatchDecision)
        : own.submit(placement),
    submitGroup: (placements) =>
      canForward(placements) ? forward(placements, true) : own.submitGroup(placements),
    close() {
      state.isClosed = true;
      clearInterval(watch);
      clearTimeout(state.timer);
      state.socket?.destroy();
    },
  };
}

function open(state: Forwarding): void {
  const socket = connect(state.path);
  // Neither an idle connection nor the wait for one keeps the process alive.
  socket.unref();
  socket.once("connect", () => {
    state.socket = socket;
  });
  readFrames(socket, (bytes) => {
    for (const reply of unpackReplies(bytes)) accept(state, reply);
  });
  socket.on("error", () => socket.destroy());
  socket.once("close", () => {
    state.socket = undefined;
    for (const one of state.inFlight.values()) decideHere(state, one);
    state.inFlight.clear();
    if (state.isClosed) return;
    state.timer = setTimeout(() => open(state), RECONNECT_PAUSE_MS);
    state.timer.unref();
  });
}

function sendAll(state: Forwarding, all: readonly InFlight[]): void {
  try {
    if (!state.socket) throw new Error("the connection is gone");
    const bytes = packSubmissions(all.map(({ submission }) => submission));
    for (const one of all) state.inFlight.set(one.submission.id, one);
    writeFrame(state.socket, bytes);
  } catch {
    for (const one of all) {
      state.inFlight.delete(one.submission.id);
      decideHere(state, one);
    }
  }
}

function accept(state: Forwarding, { id, decisions }: Reply): void {
  const one = state.inFlight.get(id);
  state.inFlight.delete(id);
  if (!one) return;
  if (decisions.some(({ kind }) => kind === "own")) {
    decideHere(state, one);
    return;
  }
  const undecided = decisions.find((decision) => decision.kind === "problem" && !decision.isDecided);
  if (undecided?.kind === "problem") one.reject(undecided.problem);
  else one.resolve(decisions.map(toDecision));
}

function toDecision(decision: ForwardedDecision): BatchDecision {
  switch (decision.kind) {
    case "order":
      // The caller compares the id: its own order was placed.
      return { kind: "replayed", order: decision.order };
    case "problem":
      return { kind: "refused", problem: decision.problem };
    case "stale":
      return { kind: "stale", catalogRevision: decision.catalogRevision };
    case "own":
      throw new Error("not decided");
    default:
      return { kind: decision.kind };
  }
}

function decideHere({ own }: Forwarding, { submission, resolve, reject }: InFlight): void {
  const { placements, isGroup } = submission;
  const [first] = placements;
  if (isGroup || !first) own.submitGroup(placements).then(resolve, reject);
  else own.submit(first).then((decision) => resolve([decision]), reject);
}

/** The other process hangs, or its database does. Everything it has is decided here. */
function dropIfSilent({ inFlight, socket }: Forwarding, timeoutMs: number): void {
  const [oldest] = inFlight.values();
  if (oldest && performance.now() - oldest.sentAtMs > timeoutMs) socket?.destroy();
}
