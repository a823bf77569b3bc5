import { setTimeout as wait } from "node:timers/promises";
import type { OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import { createRandom, type Random } from "../seed.ts";
import { breakWire, HIDDEN_REQUEST, toBytes, type WireRequest } from "../upstream/wire-faults.ts";
import { createJudge, type Judge } from "./fuzz-judge.ts";
import { createFuzzMemory } from "./fuzz-memory.ts";
import { fuzzOperations } from "./fuzz-operations.ts";
import { BROKEN_BYTES, type FuzzRequest, type FuzzSources, fuzzRequest } from "./fuzz-request.ts";
import { warmUp } from "./fuzz-warm-up.ts";
import type { FuzzWorld } from "./fuzz-world.ts";
import { createRawConnection, type RawConnection } from "./raw-connection.ts";
import { exchange, type RawReply } from "./raw-http.ts";

export type FuzzOptions = {
  port: number;
  document: OpenApiDocument;
  world: FuzzWorld;
  receiverUrl: string;
  deadUrl: string;
  seed: number;
  requests: number;
  /** Sends only this one, after the warm-up. */
  only?: number | undefined;
  /** Ends the run early, with its findings so far. */
  stop?: AbortSignal | undefined;
  onProgress?: (report: FuzzReport) => void;
};

export type FuzzReport = {
  seed: number;
  /** Each round is one request, or a few that are sent together. */
  rounds: number;
  sent: number;
  /** How often the server said that it was too busy, and did what was asked when it was asked again. */
  busy: number;
  /**
   * How many responses of each class an operation gave, such as `2xx`. Bytes that are not a request count as `the
   * wire`.
   */
  answers: Map<string, Map<string, number>>;
  slowest: { ms: number; index: number; what: string }[];
  faults: { index: number; what: string; message: string }[];
  /** If one request was sent alone: the request and its responses. */
  shown: string[];
  seconds: number;
};

/** Requests that arrive together share reads and writes of the database, which is cheaper for the server. */
const AT_ONCE = 48;
/** No response must take longer, whatever the request, even on a machine with other work. */
export const ANSWER_MAX_MS = 30_000;
const QUIET_MS = 250;
const FAULTS_MAX = 20;
const SLOWEST_KEPT = 5;
/** Each of these opens a connection of its own. */
const WIRE_SHARE = 0.06;
const PIPELINE_SHARE = 0.04;

/**
 * Sends the given number of requests, some concurrently, each derived from the seed, its number and what was learned
 * before.
 */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { document, world, seed, requests, only } = options;
  const memory = createFuzzMemory(world);
  const sources: FuzzSources = { ...options, memory, operations: fuzzOperations(document) };
  const judge = createJudge(document, memory);
  const report = newReport(seed);
  const beganAt = performance.now();
  const connections = Array.from({ length: AT_ONCE }, () => createRawConnection(options.port, ANSWER_MAX_MS));
  try {
    await warmUp(sources, async (request) => {
      // Sequential requests would wait for each other's response on one connection.
      const connection = createRawConnection(options.port, ANSWER_MAX_MS);
      const reply = await connection.send(toBytes(request), request.method);
      connection.destroy();
      noteAnswer(report, request.operation.id, reply.status);
      judge.judge(request, reply);
      return reply;
    });
    let next = 0;
    const isOver = () => report.faults.length >= FAULTS_MAX || options.stop?.aborted === true;
    const work = async (connection: RawConnection): Promise<void> => {
      for (let index = next++; index < requests && !isOver(); index = next++) {
        if (only !== undefined && index !== only) continue;
        const random = createRandom(seed ^ Math.imul(index + 1, 0x9e3779b1));
        const round = { options, sources, judge, report, connection, random, index };
        await fuzzOnce(round);
        options.onProgress?.(report);
      }
    };
    await Promise.all(connections.map(work));
  } finally {
    for (const connection of connections) connection.destroy();
  }
  report.seconds = (performance.now() - beganAt) / 1_000;
  return report;
}

export const newReport = (seed: number): FuzzReport => ({
  seed,
  rounds: 0,
  sent: 0,
  busy: 0,
  answers: new Map(),
  slowest: [],
  faults: [],
  shown: [],
  seconds: 0,
});

type Round = {
  options: FuzzOptions;
  sources: FuzzSources;
  judge: Judge;
  report: FuzzReport;
  connection: RawConnection;
  random: Random;
  index: number;
};

async function fuzzOnce(round: Round): Promise<void> {
  const { random, report, index, sources, options } = round;
  const kind = random.below(1_000) / 1_000;
  const mark = `${options.seed}-${index}`;
  const requests = [fuzzRequest(sources, random, mark)];
  if (kind < PIPELINE_SHARE)
    for (let more = 1 + random.below(3); more > 0; more -= 1)
      requests.push(fuzzRequest(sources, random, `${mark}-${more}`));
  const began = performance.now();
  if (options.only !== undefined) report.shown.push(...requests.map(describe));
  try {
    if (kind < PIPELINE_SHARE) await sendPipeline(round, requests);
    else if (kind < PIPELINE_SHARE + WIRE_SHARE) await sendBroken(round, requests[0] as FuzzRequest);
    else await sendPlain(round, requests[0] as FuzzRequest);
  } catch (error) {
    report.faults.push({ index, what: requests.map(describe).join("\n"), message: (error as Error).message });
  }
  report.rounds += 1;
  report.sent += requests.length;
  const what = requests.map(({ operation, faults }) => [operation.id, ...faults].join(", ")).join(" + ");
  noteTime(report, index, performance.now() - began, what);
}

async function sendPlain(round: Round, request: FuzzRequest): Promise<void> {
  const { connection, judge, report } = round;
  const send = () => connection.send(toBytes(request), request.method);
  const reply = request.forced ? await send() : await askAgainIfBusy(report, send);
  note(round, request.operation.id, reply);
  judge.judge(request, reply);
}

const BUSY_TRIES_MAX = 5;
const BUSY_WAIT_MS = 2_000;

const isBusy = ({ status, headers }: RawReply): boolean =>
  status === 503 && headers["retry-after"] !== undefined;

/**
 * On a machine with too much other work the server says 503 with Retry-After, which asks for another try. A request that it
 * always answers so is a fault.
 */
export async function askAgainIfBusy(report: FuzzReport, send: () => Promise<RawReply>): Promise<RawReply> {
  for (let tries = 1; ; tries += 1) {
    const reply = await send();
    if (!isBusy(reply) || tries >= BUSY_TRIES_MAX) return reply;
    report.busy += 1;
    await wait(BUSY_WAIT_MS * tries);
  }
}

/** Several requests with any keys in one write. Each gets its own response, in order. */
async function sendPipeline(round: Round, requests: FuzzRequest[]): Promise<void> {
  const { options, judge } = round;
  const methods = requests.map(({ method }) => method);
  const { replies } = await exchange(options.port, Buffer.concat(requests.map(toBytes)), {
    methods,
    quietMs: ANSWER_MAX_MS,
  });
  for (const [index, reply] of replies.entries()) {
    const request = requests[index];
    if (isBusy(reply) && request?.forced === false) {
      round.report.busy += 1;
      return;
    }
    if (!request) throw new Error(`${replies.length} responses to ${requests.length} requests`);
    note(round, request.operation.id, reply);
    judge.judge(request, reply);
    // After a refusal that closes the connection, the rest gets no response.
    if (reply.headers.connection === "close") return;
  }
  if (replies.length < requests.length)
    throw new Error(`${replies.length} responses to ${requests.length} requests`);
}

/** Bytes that are hardly a request any more, in pieces or cut off. */
async function sendBroken(round: Round, request: FuzzRequest): Promise<void> {
  const { options, judge, random } = round;
  const wire: WireRequest = {
    faults: [],
    bytes: toBytes(request),
    methods: [request.method],
    halfClose: false,
  };
  if (random.chance(0.8)) breakWire(wire, random);
  request.faults.push(...wire.faults);
  const leave = random.chance(0.1);
  const { replies, gaveUp } = await exchange(options.port, wire.bytes, {
    methods: wire.methods,
    halfClose: wire.halfClose,
    leave,
    pieces: random.pick([1, 1, 2, 5]),
    quietMs: QUIET_MS,
  });
  if (replies.some(isBusy) && !request.forced) {
    round.report.busy += 1;
    return;
  }
  for (const reply of replies) note(round, BROKEN_BYTES, reply);
  for (const reply of replies) judge.judgeBroken(request, reply);
  if (wire.faults.includes(HIDDEN_REQUEST) && replies.some(({ headers }) => headers.connection !== "close"))
    throw new Error("a request with two lengths was answered on a connection that stays open");
  if (replies.length === 0 && !wire.halfClose && !leave && !gaveUp) throw new Error("no response");
}

export function noteAnswer({ answers }: FuzzReport, name: string, status: number): void {
  const classes = answers.get(name) ?? new Map<string, number>();
  answers.set(name, classes);
  const statusClass = `${Math.floor(status / 100)}xx`;
  classes.set(statusClass, (classes.get(statusClass) ?? 0) + 1);
}

function note({ report, options }: Round, name: string, { status, headers, body }: RawReply): void {
  noteAnswer(report, name, status);
  if (options.only !== undefined) report.shown.push(`${status} ${JSON.stringify(headers)} ${body}`);
}

export function noteTime(report: FuzzReport, index: number, ms: number, what: string): void {
  const last = report.slowest.at(-1)?.ms ?? 0;
  if (report.slowest.length >= SLOWEST_KEPT && ms <= last) return;
  report.slowest.push({ ms, index, what: what.slice(0, 100) });
  report.slowest.sort((a, b) => b.ms - a.ms).splice(SLOWEST_KEPT);
}

const SHOWN_MAX = 1_200;

const describe = (request: FuzzRequest): string =>
  `${request.key.name}: [${request.faults.join(", ").slice(0, 200)}] ${JSON.stringify(toBytes(request).toString("latin1")).slice(0, SHOWN_MAX)}`;
