import { createRandom, type Random } from "../../seed.ts";
import { toBytes } from "../../upstream/wire-faults.ts";
import {
  ANSWER_MAX_MS,
  askAgainIfBusy,
  type FuzzReport,
  newReport,
  noteAnswer,
  noteTime,
} from "../fuzz-run.ts";
import { createRawConnection, type RawConnection } from "../raw-connection.ts";
import type { RawReply } from "../raw-http.ts";
import { createWebJudge, isSentToSignIn, judgeRole } from "./web-judge.ts";
import type { WebMemory } from "./web-memory.ts";
import type { WebFace, WebPeople } from "./web-people.ts";
import { crawlRequest, webRequest } from "./web-request.ts";
import type { WebRequest, WebSources } from "./web-sources.ts";

export type WebFuzzOptions = WebSources & {
  ports: Readonly<Record<WebFace, number>>;
  teams: readonly string[];
  people: WebPeople;
  memory: WebMemory;
  seed: number;
  requests: number;
  stop?: AbortSignal | undefined;
  onProgress?: (report: FuzzReport) => void;
};

const AT_ONCE = 16;
const FAULTS_MAX = 20;
/** So that even a short run has forms that are accepted. */
const PLAIN_FIRST = 40;
const SHOWN_MAX = 3_000;
/** More often than proof expires. */
const REFRESH_EVERY_MS = 60_000;

type Lane = Readonly<Record<WebFace, RawConnection>>;

/** Reads the pages that there are, then sends the given number of requests, each made from what was read. */
export async function runWebFuzz(options: WebFuzzOptions): Promise<FuzzReport> {
  const { people, seed, requests } = options;
  const report = newReport(seed);
  const judge = createWebJudge(options.teams);
  const lanes = Array.from({ length: AT_ONCE }, () => openLane(options.ports));
  const beganAt = performance.now();
  let refreshedAt = beganAt;

  const once = async (lane: Lane, request: WebRequest, index: number): Promise<void> => {
    const startedAt = performance.now();
    const { person } = request;
    const { accountId } = person;
    const roleOf = () => people.roleOf({ ...person, accountId });
    try {
      const roleBefore = isForOthers(options, request) ? [await roleOf()] : undefined;
      const send = () => lane[person.face].send(toBytes(request), request.method);
      const reply = await askAgainIfBusy(report, send);
      noteAnswer(report, request.route.key, reply.status);
      judge.judge(request, reply);
      if (roleBefore) judgeRole(request, reply.status, [...roleBefore, await roleOf()]);
      follow(options, request, reply);
      if (request.isWhole && isSignedOut(request, reply) && person.accountId === accountId)
        await people.replace(person);
    } catch (error) {
      report.faults.push({ index, what: describe(request), message: (error as Error).message });
    }
    report.rounds += 1;
    report.sent += 1;
    noteTime(report, index, performance.now() - startedAt, `${request.route.key} ${request.faults.join()}`);
    options.onProgress?.(report);
  };

  const work = async (lane: Lane, take: () => { request: WebRequest; index: number } | undefined) => {
    for (let next = take(); next; next = take()) {
      if (report.faults.length >= FAULTS_MAX || options.stop?.aborted === true) return;
      if (performance.now() - refreshedAt > REFRESH_EVERY_MS) {
        refreshedAt = performance.now();
        await people.refresh();
      }
      await once(lane, next.request, next.index);
    }
  };

  try {
    for (const pass of [1, 2]) {
      const crawl = crawlRequests(options, pass === 2);
      await Promise.all(lanes.map((lane) => work(lane, () => indexed(crawl.pop()))));
    }
    let next = 0;
    const take = () => {
      const index = next++;
      if (index >= requests) return undefined;
      const random: Random = createRandom(seed ^ Math.imul(index + 1, 0x9e3779b1));
      return { request: webRequest(options, random, `${seed}-${index}`, index < PLAIN_FIRST), index };
    };
    await Promise.all(lanes.map((lane) => work(lane, take)));
  } finally {
    for (const lane of lanes) for (const connection of Object.values(lane)) connection.destroy();
  }
  report.seconds = (performance.now() - beganAt) / 1_000;
  return report;
}

const indexed = (request: WebRequest | undefined) => request && { request, index: -1 };

const openLane = (ports: WebFuzzOptions["ports"]): Lane => ({
  dashboard: createRawConnection(ports.dashboard, ANSWER_MAX_MS),
  console: createRawConnection(ports.console, ANSWER_MAX_MS),
});

/** Every page for those who may see it all: in the first pass those without an id, in the second those with one. */
function crawlRequests({ people, memory }: WebFuzzOptions, withIds: boolean): WebRequest[] {
  const readers = people.everyone.filter(({ role }) => role === "owner" || role === "admin");
  return readers.flatMap((person) =>
    memory.routes[person.face]
      .filter(({ method, path }) => method === "GET" && path.includes(":") === withIds)
      .map((route) => crawlRequest(memory, createRandom(1), person, route)),
  );
}

/** Remembers the page, and what a browser would keep. */
function follow(
  { memory }: WebFuzzOptions,
  { person }: WebRequest,
  { status, headers, body }: RawReply,
): void {
  if (status < 400 && headers["content-type"]?.startsWith("text/html") === true) memory.learn(person, body);
}

const isSignedOut = ({ method, route }: WebRequest, reply: RawReply): boolean =>
  route.roles !== "public" &&
  (reply.status === 401 || (method === "GET" && isSentToSignIn(reply)) || leadsToFactor(reply));

const leadsToFactor = ({ status, headers }: RawReply): boolean =>
  status === 303 && (headers.location ?? "").endsWith("/add-factor");

/** Whether the route is for other roles than that of the person, so that the account's role matters. */
function isForOthers({ memory }: WebFuzzOptions, { route, person, method, target }: WebRequest): boolean {
  const { roles } = route;
  if (typeof roles === "string" || roles.includes(person.role)) return false;
  return memory.routeOf(person.face, method, target) === route;
}

const describe = (request: WebRequest): string =>
  `${request.person.role} of ${request.person.team}: ${request.route.key} [${request.faults.join(", ")}] ` +
  JSON.stringify(toBytes(request).toString("latin1")).slice(0, SHOWN_MAX);
