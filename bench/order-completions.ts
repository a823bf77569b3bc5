// Places orders over HTTP and watches until they end, in a separate process. Either as fast as they are
// completed, with so many under way at most, or at a given pace.
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import sql from "sql-template-tag";
import { connectDatabase } from "../server/src/db/database.ts";

export type CompletionInput = {
  url: string;
  connectionString: string;
  keys: string[];
  body: string;
  callers: number;
  seconds: number;
  /** So many orders may be accepted and not completed. */
  underWayMax: number;
  /** 0: as many as the limit above allows. */
  ordersPerSecond: number;
};
export type CompletionFigures = {
  completed: number;
  completedPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  refused: number;
};

const LOOK_EVERY_MS = 25;

const input = JSON.parse(process.argv[2] ?? "") as CompletionInput;
const { hostname, port } = new URL(input.url);
const db = connectDatabase({
  connectionString: input.connectionString,
  applicationName: "scrip bench",
  poolSize: 1,
  onConnectionLost: () => {},
});
const run = randomBytes(6).toString("hex");
const acceptedAt = new Map<string, number>();
const latenciesMs: number[] = [];
const idle: Caller[] = [];
let refused = 0;
let sent = 0;
let waiting = 0;

type Caller = { send(): void };

const callers = await Promise.all(Array.from({ length: input.callers }, (_, index) => open(index)));
const began = performance.now();
const endsAt = began + input.seconds * 1_000;
idle.push(...callers.map(({ caller }) => caller));
let completedInTime = 0;
while (performance.now() < endsAt || acceptedAt.size + waiting > 0) {
  sendWhatIsDue();
  await wait(LOOK_EVERY_MS);
  await look();
  if (performance.now() > endsAt + 60_000) throw new Error(`${acceptedAt.size} orders did not end`);
}
for (const { socket } of callers) socket.destroy();
await db.close();
latenciesMs.sort((a, b) => a - b);
const at = (share: number): number =>
  latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * share))] ?? 0;
const figures: CompletionFigures = {
  completed: latenciesMs.length,
  completedPerSecond: completedInTime / input.seconds,
  p50Ms: at(0.5),
  p99Ms: at(0.99),
  refused,
};
console.log(JSON.stringify(figures));

function sendWhatIsDue(): void {
  const now = performance.now();
  if (now >= endsAt) return;
  const byPace =
    input.ordersPerSecond === 0
      ? Number.POSITIVE_INFINITY
      : Math.floor(((now - began) / 1_000) * input.ordersPerSecond) - sent;
  let allowed = Math.min(byPace, input.underWayMax - acceptedAt.size - waiting);
  while (allowed > 0 && idle.length > 0) {
    idle.shift()?.send();
    allowed -= 1;
  }
}

/** Orders that have no work left have ended. */
async function look(): Promise<void> {
  const ids = [...acceptedAt.keys()];
  if (ids.length === 0) return;
  const open = await db.rows<{ id: string }>(
    sql`select order_id as id from order_work where order_id = any(${ids})`,
    { name: "open-work" },
  );
  const left = new Set(open.map((row) => row.id));
  const now = performance.now();
  for (const id of ids) {
    if (left.has(id)) continue;
    latenciesMs.push(now - (acceptedAt.get(id) ?? now));
    acceptedAt.delete(id);
    if (now <= endsAt) completedInTime += 1;
  }
}

function open(index: number): Promise<{ caller: Caller; socket: Socket }> {
  const key = input.keys[index % input.keys.length];
  const head = `POST /v1/orders HTTP/1.1\r\nHost: ${hostname}\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(input.body)}\r\nIdempotency-Key: `;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    let received = "";
    const caller: Caller = {
      send() {
        sent += 1;
        waiting += 1;
        socket.write(`${head}${run}-${sent}\r\n\r\n${input.body}`);
      },
    };
    socket.on("connect", () => resolve({ caller, socket }));
    socket.on("error", reject);
    socket.on("data", (chunk: string) => {
      received += chunk;
      const end = received.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (end === -1 || received.length < end + 4 + length) return;
      const id = /"id":"(ord_\w+)"/.exec(received)?.[1];
      if (received.startsWith("HTTP/1.1 202") && id) acceptedAt.set(id, performance.now());
      else refused += 1;
      received = "";
      waiting -= 1;
      idle.push(caller);
      sendWhatIsDue();
    });
  });
}
