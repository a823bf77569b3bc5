import type { Log } from "../../lib/log.ts";
import type { Duty, FromProcess, ToProcess } from "./messages.ts";

/** A started process, as the supervisor sees it. */
export type Child = {
  pid: number | undefined;
  send(message: ToProcess): void;
  kill(signal: NodeJS.Signals): void;
  onMessage(listener: (message: FromProcess) => void): void;
  /** Called once, when the process is gone. */
  onEnd(listener: (code: number | null, signal: string | null) => void): void;
};

export type SuperviseDeps = {
  duties: readonly Duty[];
  fork: (duty: Duty) => Child;
  embeddedUrl: string | undefined;
  log: Log;
  /** Gets all messages that are not about the start. */
  onMessage: (duty: Duty, child: Child, message: FromProcess) => void;
  onEnd: (duty: Duty) => void;
};

export type Ready = Extract<FromProcess, { kind: "ready" }>;

export type Supervision = {
  /** Resolves when every process serves, with what each said. Fails with the reason of the first that cannot. */
  ready: Promise<readonly Ready[]>;
  children(): readonly { duty: Duty; child: Child }[];
  /** Lets all processes finish what they are at. Those that take too long are killed. */
  stop(): Promise<void>;
};

/** The pause before a process is started again. It doubles each time the process ends soon after its start. */
export const FIRST_PAUSE_MS = 200;
export const LONGEST_PAUSE_MS = 30_000;
/** A process that ran for this long had no trouble starting. */
const STEADY_AFTER_MS = 60_000;
/** From this many short lives in a row on, the log says that something is wrong with the process itself. */
const SHORT_LIVES_MANY = 5;
/** A process that is not ready after this time is killed. */
const START_TIMEOUT_MS = 60_000;
/** Children end themselves earlier. The supervisor still has to stop PostgreSQL within its own limit of 40 s. */
const KILL_AFTER_MS = 32_000;

type Slot = {
  duty: Duty;
  child: Child | undefined;
  startedAtMs: number;
  /** Why it could not start, if it said so. */
  reason: string | undefined;
  /** Lives in a row that ended soon. */
  shortLives: number;
  timer: NodeJS.Timeout | undefined;
  first: PromiseWithResolvers<Ready>;
};

/** Starts processes, starts again what dies, and stops them together. */
export function supervise(deps: SuperviseDeps): Supervision {
  const state = { isStopping: false, isUp: false };
  const slots = deps.duties.map((duty): Slot => {
    const first = Promise.withResolvers<Ready>();
    first.promise.catch(() => {});
    return {
      duty,
      child: undefined,
      startedAtMs: 0,
      reason: undefined,
      shortLives: 0,
      timer: undefined,
      first,
    };
  });
  for (const slot of slots) start(deps, state, slot);
  const ready = Promise.all(slots.map(({ first }) => first.promise)).then((all) => {
    state.isUp = true;
    return all;
  });
  return {
    ready,
    children: () => slots.flatMap(({ duty, child }) => (child ? [{ duty, child }] : [])),
    stop: () => stop(state, slots),
  };
}

type State = { isStopping: boolean; isUp: boolean };

function start(deps: SuperviseDeps, state: State, slot: Slot): void {
  const { duty } = slot;
  const child = deps.fork(duty);
  slot.child = child;
  slot.startedAtMs = performance.now();
  slot.reason = undefined;
  slot.timer = setTimeout(() => {
    slot.reason = `process ${duty.label} did not start within ${START_TIMEOUT_MS / 1_000} s`;
    child.kill("SIGKILL");
  }, START_TIMEOUT_MS);
  child.onMessage((message) => {
    if (message.kind === "up") child.send({ kind: "begin", duty, embeddedUrl: deps.embeddedUrl });
    else if (message.kind === "failed") slot.reason = message.message;
    else if (message.kind === "ready") {
      clearTimeout(slot.timer);
      slot.first.resolve(message);
    } else deps.onMessage(duty, child, message);
  });
  child.onEnd((code, signal) => {
    clearTimeout(slot.timer);
    slot.child = undefined;
    deps.onEnd(duty);
    if (state.isStopping) return;
    const reason = slot.reason ?? `process ${duty.label} ended (${signal ?? `exit code ${code}`})`;
    // The whole start fails: one line says why, and nothing is left running.
    if (!state.isUp) slot.first.reject(new Error(reason));
    else startAgain(deps, state, slot, reason);
  });
}

function startAgain(deps: SuperviseDeps, state: State, slot: Slot, reason: string): void {
  const isShort = performance.now() - slot.startedAtMs < STEADY_AFTER_MS;
  slot.shortLives = isShort ? slot.shortLives + 1 : 1;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (slot.shortLives - 1), LONGEST_PAUSE_MS);
  const facts = { process: slot.duty.label, reason, pauseMs };
  if (slot.shortLives < SHORT_LIVES_MANY) deps.log.error(facts, "a process ended; starting it again");
  else
    deps.log.fatal(
      { ...facts, times: slot.shortLives },
      "a process ends again and again soon after its start; the reason must be fixed",
    );
  slot.timer = setTimeout(() => start(deps, state, slot), pauseMs);
}

async function stop(state: State, slots: readonly Slot[]): Promise<void> {
  state.isStopping = true;
  for (const { timer } of slots) clearTimeout(timer);
  await Promise.all(slots.map(({ child }) => child && stopChild(child)));
}

function stopChild(child: Child): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const overdue = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
  child.onEnd(() => {
    clearTimeout(overdue);
    ended.resolve();
  });
  child.send({ kind: "stop" });
  return ended.promise;
}
