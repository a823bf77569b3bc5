// Callers of POST /v1/orders, in a separate process: each has a connection and places one order after another.
// Raw sockets, because an HTTP client would use as much of the machine as the server that is measured.
import { randomBytes } from "node:crypto";
import { connect } from "node:net";

type Input = { url: string; keys: string[]; body: string; callers: number; seconds: number };
export type CallerFigures = {
  orders: number;
  ordersPerSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  refused: number;
};

const { url, keys, body, callers, seconds } = JSON.parse(process.argv[2] ?? "") as Input;
const { hostname, port } = new URL(url);
const run = randomBytes(6).toString("hex");
const latenciesMs: number[] = [];
let refused = 0;

const began = performance.now();
const endsAt = began + seconds * 1000;
await Promise.all(Array.from({ length: callers }, (_, index) => call(index)));
const elapsedSeconds = (performance.now() - began) / 1000;
latenciesMs.sort((a, b) => a - b);
const at = (share: number): number =>
  latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * share))] ?? 0;
const figures: CallerFigures = {
  orders: latenciesMs.length,
  ordersPerSecond: latenciesMs.length / elapsedSeconds,
  p50Ms: at(0.5),
  p95Ms: at(0.95),
  p99Ms: at(0.99),
  refused,
};
console.log(JSON.stringify(figures));

/** Places orders until the time is up. */
function call(index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const key = keys[index % keys.length];
    const head = `POST /v1/orders HTTP/1.1\r\nHost: ${hostname}\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nIdempotency-Key: `;
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    let sent = 0;
    let sentAt = 0;
    const send = () => {
      sent += 1;
      sentAt = performance.now();
      socket.write(`${head}${run}-${index}-${sent}\r\n\r\n${body}`);
    };
    let received = "";
    socket.setEncoding("latin1");
    socket.on("connect", send);
    socket.on("error", reject);
    socket.on("data", (chunk: string) => {
      received += chunk;
      if (!isWhole(received)) return;
      const now = performance.now();
      if (received.startsWith("HTTP/1.1 202")) latenciesMs.push(now - sentAt);
      else refused += 1;
      received = "";
      if (now < endsAt) return send();
      socket.destroy();
      resolve();
    });
  });
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return text.length >= end + 4 + length;
}
