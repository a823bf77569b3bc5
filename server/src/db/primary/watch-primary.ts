import { cannotConnect, type Guide } from "../hosts.ts";
import type { BeatLine } from "./beat-line.ts";
import { type ConfirmationQueue, createConfirmationQueue } from "./confirmation-queue.ts";
import { type Patience, startPatience } from "./patience.ts";
import { createPrimaryLease, type Moment, momentNow, type PrimaryLease } from "./primary-lease.ts";
import { createFence, type Fence, isSameTerm, type Term } from "./primary-term.ts";
import { createSearch, type PrimarySearch } from "./search-primary.ts";

/** Events for the owner of the process. */
export type PrimaryEvents = {
  onBeat(elapsedMs: number): void;
  /** The primary's connection broke, it refused a write, or it did not respond. All hosts are asked from now on. */
  onDoubt(host: string, error: Error): void;
  /** A write was answered after a doubt. `isNew`: connections to the previous primary were dropped. */
  onConfirmed(host: string, term: Term | undefined, isNew: boolean): void;
};

export type WatchOptions = {
  /** Display names of the hosts. */
  hosts: readonly string[];
  open(index: number, judge: (term: Term | undefined) => void, signal: AbortSignal): Promise<BeatLine>;
  /** Drops every connection, including those in use. */
  leave(): void;
  /** The error for callers that wait while there is no primary, built from each host's last failure. */
  refusal(failures: readonly unknown[]): Error;
  events: PrimaryEvents;
};

export type PrimaryWatch = Guide & { close(): Promise<void> };

export const BEAT_EVERY_MS = 1_000;
/**
 * A heartbeat that is unanswered for this long makes us ask all hosts, including the silent one. That alone drops
 * nothing: a disk that is slow for some seconds costs a few connections and no statement. Only another primary, or
 * the same one answering a new connection but not the old, ends running statements.
 */
export const SILENCE_MS = 2_000;
/** When a new connection to the same primary is answered, the old one may have waited for the same disk. */
const SECOND_CHANCE_MS = 500;
/**
 * A server is trusted for this long after it was sent a write that it answered, and is not read from later. After
 * this time, what a newer primary has acknowledged, such as a revocation, also holds here. Longer than a heartbeat
 * plus the silence limit, so that one slow heartbeat stops nothing.
 */
export const LEASE_MS = 5_000;

type State = WatchOptions & {
  fence: Fence;
  lease: PrimaryLease;
  queue: ConfirmationQueue;
  search: PrimarySearch;
  primary: { index: number; term: Term | undefined } | undefined;
  line: BeatLine | undefined;
  /** The connection with a heartbeat in progress. */
  beating: BeatLine | undefined;
  isSilent: boolean;
  isClosed: boolean;
  /** Found at the same primary while the connection in use was silent. */
  second: { found: BeatLine; patience: Patience } | undefined;
  timer: NodeJS.Timeout | undefined;
};

/**
 * Writes a row once a second and trusts a server only while it answers. With a synchronous standby, an old primary
 * cannot answer, because its standby follows the new one. Every use of a connection first checks this lease.
 */
export function watchPrimary(options: WatchOptions): PrimaryWatch {
  const state = openState(options);
  const { lease, queue } = state;
  state.search.start();
  return {
    index: () => state.primary?.index ?? 0,
    holds: lease.holds,
    confirm: () => (lease.holds() ? Promise.resolve() : wait(state, Number.NEGATIVE_INFINITY)),
    confirmAgain: () => wait(state, performance.now()),
    doubt() {
      lease.drop();
      void beat(state);
    },
    admit: (term) => admit(state, term),
    async close() {
      state.isClosed = true;
      clearTimeout(state.timer);
      state.search.stop();
      dropSecond(state);
      queue.refuseAll(options.refusal([]));
      await state.line?.close();
    },
  };
}

function openState(options: WatchOptions): State {
  const refuseOlder = (term: Term | undefined): void => {
    if (state.fence.judge(term) === "older") throw new Error("is a primary that another has replaced");
  };
  const search = createSearch<BeatLine>({
    count: options.hosts.length,
    attempt: (index, signal) => options.open(index, refuseOlder, signal),
    onFound: (index, found) => consider(state, index, found),
    onFailure: () => refuseVain(state),
    discard: (found) => found.drop(),
  });
  const state: State = {
    ...options,
    fence: createFence(),
    lease: createPrimaryLease(LEASE_MS),
    queue: createConfirmationQueue(),
    search,
    primary: undefined,
    line: undefined,
    beating: undefined,
    isSilent: false,
    isClosed: false,
    second: undefined,
    timer: undefined,
  };
  return state;
}

function wait(state: State, sentAfterMs: number): Promise<void> {
  const confirmed = state.queue.wait(sentAfterMs);
  refuseVain(state);
  void beat(state);
  return confirmed;
}

const refuseVain = ({ queue, search, refusal }: State): void =>
  queue.refuse(search.isVain, () => refusal(search.failures()));

/** One heartbeat, unless one is in progress. The next follows automatically. */
async function beat(state: State): Promise<void> {
  const { line } = state;
  if (line === undefined || state.beating === line || state.isClosed) return;
  clearTimeout(state.timer);
  state.beating = line;
  const sentAt = momentNow();
  const patience = startPatience(SILENCE_MS, () => {
    if (state.line !== line || state.isClosed) return;
    state.isSilent = true;
    askAll(state, new Error("no response to a heartbeat"));
  });
  const failure = await line.beat().then(
    () => undefined,
    (error: Error) => error,
  );
  patience.end();
  if (state.beating === line) state.beating = undefined;
  if (state.line !== line || state.isClosed) return;
  if (failure) return lose(state, failure);
  state.events.onBeat(performance.now() - sentAt.steadyMs);
  renew(state, sentAt);
}

function renew(state: State, sentAt: Moment): void {
  const { primary, lease, queue } = state;
  if (state.isSilent && primary) tellConfirmed(state, primary, false);
  state.isSilent = false;
  dropSecond(state);
  state.search.stop();
  lease.renew(sentAt);
  if (lease.holds()) queue.release(sentAt.steadyMs);
  beatLater(state, sentAt);
}

function beatLater(state: State, { steadyMs }: Moment): void {
  const isUrgent = state.queue.size() > 0 || !state.lease.holds();
  const pauseMs = isUrgent ? 0 : Math.max(0, steadyMs + BEAT_EVERY_MS - performance.now());
  clearTimeout(state.timer);
  state.timer = setTimeout(() => void beat(state), pauseMs);
  state.timer.unref();
}

function askAll(state: State, error: Error): void {
  state.events.onDoubt(state.hosts[state.primary?.index ?? 0] ?? "", error);
  state.search.start();
}

function lose(state: State, error: Error): void {
  const { line, second } = state;
  state.line = undefined;
  line?.drop();
  askAll(state, error);
  if (second) adopt(state, state.primary?.index ?? 0, second.found);
}

/** Handles a host that has answered a write. */
function consider(state: State, index: number, found: BeatLine): void {
  const { line, isSilent, primary } = state;
  const isSameServer = index === primary?.index && isSameTerm(found.term, primary.term);
  const take = () => adopt(state, index, found);
  if (line === undefined || !isSilent || !isSameServer) take();
  else state.second = { found, patience: startPatience(SECOND_CHANCE_MS, take) };
}

function adopt(state: State, index: number, found: BeatLine): void {
  const { primary, isSilent } = state;
  const isNew = isSilent || index !== primary?.index || !isSameTerm(found.term, primary.term);
  state.second?.patience.end();
  state.second = undefined;
  state.search.stop();
  state.line?.drop();
  state.line = found;
  state.isSilent = false;
  state.primary = { index, term: found.term };
  state.fence.raise(found.term);
  if (isNew) state.leave();
  state.lease.renew(found.sentAt);
  tellConfirmed(state, state.primary, isNew);
  if (state.lease.holds()) state.queue.release(Number.POSITIVE_INFINITY);
  beatLater(state, found.sentAt);
}

const tellConfirmed = (state: State, { index, term }: NonNullable<State["primary"]>, isNew: boolean): void =>
  state.events.onConfirmed(state.hosts[index] ?? "", term, isNew);

function dropSecond(state: State): void {
  state.second?.patience.end();
  state.second?.found.drop();
  state.second = undefined;
}

/** Checks a new pool connection: it must lead to the confirmed primary, through any proxy in between. */
function admit(state: State, term: Term | undefined): void {
  const verdict = state.fence.judge(term);
  if (verdict === "same" || verdict === "unknown") return;
  if (verdict !== "older") {
    // The heartbeat's connection may still lead to the old primary. Only new connections can show that.
    if (verdict === "newer") state.fence.raise(term);
    state.lease.drop();
    lose(state, new Error("reached another primary"));
  }
  throw cannotConnect(`is not the confirmed primary (${verdict})`);
}
