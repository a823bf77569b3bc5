import type { ServerResponse } from "node:http";
import { gzipBomb } from "./spoil-reply.ts";
import type { Answer } from "./upstream-desk.ts";
import type { Reply } from "./upstream-dialect.ts";

type Timers = ReturnType<typeof createTimers>;

export function createTimers() {
  const running = new Set<NodeJS.Timeout>();
  return {
    schedule(delayMs: number, act: () => void): void {
      const timer = setTimeout(() => {
        running.delete(timer);
        act();
      }, delayMs);
      running.add(timer);
    },
    clear(): void {
      for (const timer of running) clearTimeout(timer);
      running.clear();
    },
  };
}

export type Line = { timers: Timers; silent: Set<ServerResponse>; lateMs: number; dripMs: number };

/** Writes a response, or what the plan leaves of it. */
export function sendAnswer(line: Line, response: ServerResponse, { reply, step }: Answer): void {
  switch (step.mishap) {
    case "reset":
    case "hold":
      response.destroy();
      return;
    case "cut":
      writeHead(response, reply);
      response.write(reply.text.slice(0, reply.text.length / 2), () => response.destroy());
      return;
    case "late":
      line.timers.schedule(line.lateMs, () => writeReply(response, reply));
      return;
    case "hang":
      keepSilent(line, response);
      return;
    case "drip":
      keepSilent(line, response);
      response.writeHead(reply.status, { ...reply.headers });
      drip(line, response);
      return;
    case "endless":
      keepSilent(line, response);
      response.writeHead(reply.status, { ...reply.headers });
      flood(response);
      return;
    case "gzip-bomb":
      response.writeHead(reply.status, { ...reply.headers, "content-encoding": "gzip" });
      response.end(gzipBomb());
      return;
    default:
      writeReply(response, reply);
  }
}

const FLOOD = " ".repeat(64 * 1024);

/** As fast as the client takes it. */
function flood(response: ServerResponse): void {
  if (response.destroyed) return;
  response.write(FLOOD, () => flood(response));
}

function keepSilent({ silent }: Line, response: ServerResponse): void {
  silent.add(response);
  response.once("close", () => silent.delete(response));
}

/** Spaces, which JSON can start with: it could still become a response. */
function drip(line: Line, response: ServerResponse): void {
  if (response.destroyed) return;
  response.write(" ");
  line.timers.schedule(line.dripMs, () => drip(line, response));
}

export function writeReply(response: ServerResponse, reply: Reply): void {
  if (response.destroyed) return;
  writeHead(response, reply);
  response.end(reply.text);
}

const writeHead = (response: ServerResponse, { status, headers, text }: Reply): void =>
  void response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) });
