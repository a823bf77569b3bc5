import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { machineTimeMs } from "../../lib/machine-time.ts";
import { Problem } from "../../lib/problem.ts";
import type { BoundOrder, Placement } from "../placing/decide-placements.ts";
import type { BatchDecision, PlacementQueues } from "../placing/placement-batch.ts";
import { createOutbox, readFrames, writeFrame } from "./frames.ts";
import { type ForwardedDecision, type Reply, unpackReplies } from "./reply-wire.ts";
import { packSubmissions, type Submission } from "./submission-wire.ts";
import { readGreeting } from "./wire-values.ts";

export type ForwardedQueues = PlacementQueues & { close(): void };

/** The other process has this long to decide a placement. */
const FORWARD_TIMEOUT_MS = 5_000;
const RECONNECT_PAUSE_MS = 500;
const LOOK_EVERY_MS = 500;

type InFlight = Submission & {
  /** Set when it is sent: from then on it is decided here alone (`machineTimeMs`). */
  deadlineMs: number;
  resolve: (decisions: readonly BatchDecision[]) => void;
  reject: (error: unknown) => void;
};

type Forwarding = {
  path: string;
  own: PlacementQueues;
  timeoutMs: number;
  socket: Socket | undefined;
  /** The other process has greeted in the version of this one. */
  isGreeted: boolean;
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
    ...{ path, own, timeoutMs, socket: undefined, isGreeted: false },
    ...{ inFlight: new Map(), isClosed: false, timer: undefined },
  };
  open(state);
  const watch = setInterval(() => dropIfSilent(state), Math.min(timeoutMs, LOOK_EVERY_MS));
  watch.unref();
  let lastId = 0;
  const send = createOutbox<InFlight>((all) => sendAll(state, all));
  const nextId = (): number => {
    lastId += 1;
    return lastId;
  };
  // A function cannot be sent. What is in doubt is decided here alone.
  const canForward = ({ priceAgain, isInDoubt }: Placement): boolean =>
    state.isGreeted && priceAgain === undefined && isInDoubt !== true;
  return {
    submit: (placement) =>
      canForward(placement)
        ? new Promise((resolve, reject) => {
            const resolveOne = ([decision]: readonly BatchDecision[]) => resolve(decision as BatchDecision);
            const placements = [placement];
            send({ id: nextId(), isGroup: false, placements, deadlineMs: 0, resolve: resolveOne, reject });
          })
        : own.submit(placement),
    submitGroup: (placements) =>
      placements.every(canForward)
        ? new Promise((resolve, reject) => {
            send({ id: nextId(), isGroup: true, placements, deadlineMs: 0, resolve, reject });
          })
        : own.submitGroup(placements),
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
  state.socket = socket;
  // Neither an idle connection nor the wait for one keeps the process alive.
  socket.unref();
  readFrames(socket, (bytes) => {
    if (state.isGreeted) for (const reply of unpackReplies(bytes)) accept(state, reply);
    else readGreeting(bytes);
    state.isGreeted = true;
  });
  socket.on("error", () => socket.destroy());
  socket.once("close", () => {
    state.isGreeted = false;
    for (const one of state.inFlight.values()) settle(one, decideInDoubt(state, one));
    state.inFlight.clear();
    if (state.isClosed) return;
    state.timer = setTimeout(() => open(state), RECONNECT_PAUSE_MS);
    state.timer.unref();
  });
}

function sendAll(state: Forwarding, all: readonly InFlight[]): void {
  const { socket, isGreeted, timeoutMs, inFlight } = state;
  const deadlineMs = machineTimeMs() + timeoutMs;
  const message = isGreeted ? packOrNot({ deadlineMs, submissions: all }) : undefined;
  if (!socket || message === undefined) {
    for (const one of all) settle(one, decideHere(state, one));
    return;
  }
  for (const one of all) {
    one.deadlineMs = deadlineMs;
    inFlight.set(one.id, one);
  }
  writeFrame(socket, message);
}

/** Undefined if one of them cannot be sent. */
function packOrNot(submissions: Parameters<typeof packSubmissions>[0]): string | undefined {
  try {
    return packSubmissions(submissions);
  } catch {
    return undefined;
  }
}

function accept(state: Forwarding, { id, decisions }: Reply): void {
  const one = state.inFlight.get(id);
  if (!one) return;
  if (decisions.length !== one.placements.length) throw new Error("a reply to something else");
  const undecided = decisions.find(isUndecided);
  const decided = undecided ? [] : decisions.map((each, at) => toDecision(each, one.placements[at]));
  state.inFlight.delete(id);
  // The other process may have sent what it then could not decide. From now on it is decided here.
  if (decisions.some((each) => each.kind === "busy" || isUndecided(each)))
    for (const each of one.placements) each.isInDoubt = true;
  if (!undecided) one.resolve(decided);
  else if (undecided.kind === "problem") one.reject(undecided.problem);
  else settle(one, decideHere(state, one));
}

const isUndecided = (decision: ForwardedDecision): boolean =>
  decision.kind === "own" || (decision.kind === "problem" && !decision.isDecided);

function toDecision(decision: ForwardedDecision, placement: Placement | undefined): BatchDecision {
  switch (decision.kind) {
    case "placed":
      // The caller compares the id: its own order was placed. The other process has woken the workers.
      return { kind: "replayed", order: orderOf(placement) };
    case "order":
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

function orderOf(placement: Placement | undefined): BoundOrder {
  if (!placement || placement.priced instanceof Problem) throw new Error("no order was asked for");
  const { orderId, fingerprint } = placement;
  const { totalMinor, currency } = placement.priced;
  return { id: orderId, status: "pending", totalMinor, currency, fingerprint };
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
 * place, for example after a credit, so that is decided again when its time is over. The refusal then fences the wallet: what the other
 * process decided ahead before its time was over, and sends only now, is not confirmed.
 */
async function decideInDoubt(
  state: Forwarding,
  { isGroup, deadlineMs, ...sent }: InFlight,
): Promise<readonly BatchDecision[]> {
  const { placements } = sent;
  // Also for each time that it is submitted again.
  for (const one of placements) one.isInDoubt = true;
  const isOver = machineTimeMs() >= deadlineMs;
  const decisions = await decideHere(state, { placements, isGroup });
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
  if (oldest && machineTimeMs() > oldest.deadlineMs) socket?.destroy();
}
