import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { machineTimeMs } from "../../lib/machine-time.ts";
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

/** The other process has this long to decide a placement. */
const FORWARD_TIMEOUT_MS = 5_000;
const RECONNECT_PAUSE_MS = 500;
const LOOK_EVERY_MS = 500;

type InFlight = {
  submission: Submission;
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
 * was placed, its key is bound to that id and the order is found. The other process places nothing after the deadline that
 * it was given, and nothing is refused here before it: an order that was refused is never placed later.
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
  const watch = setInterval(() => dropIfSilent(state), Math.min(timeoutMs, LOOK_EVERY_MS));
  watch.unref();
  let lastId = 0;
  const send = createOutbox<InFlight>((all) => sendAll(state, all));
  const forward = (placements: readonly Placement[], isGroup: boolean): Promise<readonly BatchDecision[]> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      const deadlineMs = machineTimeMs() + timeoutMs;
      send({ submission: { id: lastId, isGroup, placements, deadlineMs }, resolve, reject });
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
    for (const one of state.inFlight.values()) settle(one, decideInDoubt(state, one.submission));
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
      settle(one, decideInDoubt(state, one.submission));
    }
  }
}

function accept(state: Forwarding, { id, decisions }: Reply): void {
  const one = state.inFlight.get(id);
  state.inFlight.delete(id);
  if (!one) return;
  if (decisions.some(({ kind }) => kind === "own")) {
    settle(one, decideHere(state, one.submission));
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

function settle({ resolve, reject }: InFlight, decided: Promise<readonly BatchDecision[]>): void {
  decided.then(resolve, reject);
}

type Asked = Pick<Submission, "placements" | "isGroup">;

async function decideHere(
  { own }: Forwarding,
  { placements, isGroup }: Asked,
): Promise<readonly BatchDecision[]> {
  const [first] = placements;
  return isGroup || !first ? own.submitGroup(placements) : [await own.submit(first)];
}

/**
 * The other process can still decide these. An order that is placed here it only finds. One that is refused here it could still
 * place, for example after a credit, so that is decided again when its time is over.
 */
async function decideInDoubt(state: Forwarding, submission: Submission): Promise<readonly BatchDecision[]> {
  const { placements, isGroup, deadlineMs } = submission;
  const isOver = machineTimeMs() >= deadlineMs;
  const decisions = await decideHere(state, submission);
  const open = placements.filter((_, index) => isOpenElsewhere(decisions[index]));
  if (isOver || open.length === 0) return decisions;
  while (machineTimeMs() < deadlineMs) await delay(Math.ceil(deadlineMs - machineTimeMs()));
  const again = (await decideHere(state, { placements: open, isGroup })).values();
  return decisions.map((one) => (isOpenElsewhere(one) ? (again.next().value as BatchDecision) : one));
}

const isOpenElsewhere = (decision: BatchDecision | undefined): boolean =>
  decision?.kind === "refused" || decision?.kind === "revoked" || decision?.kind === "busy";

/** The other process hangs, or its database does. Everything it has is decided here. */
function dropIfSilent({ inFlight, socket }: Forwarding): void {
  const [oldest] = inFlight.values();
  if (oldest && machineTimeMs() > oldest.submission.deadlineMs) socket?.destroy();
}
