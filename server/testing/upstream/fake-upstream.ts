import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { generateKey } from "../../src/keys/key-format.ts";
import type { OrderStatus } from "../../src/orders/status.ts";
import { type Answer, type CallRecord, createDesk, type DeskOptions } from "./upstream-desk.ts";
import { codeOf, type Purchase, statusOf } from "./upstream-ledger.ts";
import { describePlan } from "./upstream-plan.ts";
import type { Reply } from "./upstream-replies.ts";
import { readCall } from "./upstream-requests.ts";

export type FakeUpstreamOptions = Omit<DeskOptions, "scheduleLanding"> & {
  /** How long a late response takes. Longer than the buyer waits. */
  lateMs?: number;
  /** The pause between two bytes of a dripping response. */
  dripMs?: number;
  /** A request that was held back lands this long after it was sent, unless something made it land before. */
  landMs?: number;
};

/** What was really bought. `unit` is the reference after its first dot: line, unit and attempt number. */
export type TruePurchase = {
  reference: string;
  account: string;
  unit: string;
  sku: string;
  orderId: string;
  state: OrderStatus;
  /** What it returned when completed: code, link or receipt. */
  code: string | undefined;
  /** The code was sold before, to another buyer. */
  repeated: boolean;
};

export type FakeUpstream = {
  baseUrl: string;
  apiKey: string;
  purchases(): TruePurchase[];
  calls(): readonly CallRecord[];
  /** The plans of an account's requested units, and what was done so far. */
  describe(account: string): string;
  /** From now on everything succeeds. What was held back lands, and purchases complete. */
  heal(): void;
  close(): Promise<void>;
};

const LATE_MS = 400;
const DRIP_MS = 20;
const LAND_MS = 300;

/** Another Scrip to buy from, which misbehaves according to its seed and knows what it has really sold. */
export async function startFakeUpstream(options: FakeUpstreamOptions): Promise<FakeUpstream> {
  const apiKey = generateKey("live");
  const timers = createTimers();
  const desk = createDesk({
    ...options,
    scheduleLanding: (land) => timers.schedule(options.landMs ?? LAND_MS, land),
  });
  const silent = new Set<ServerResponse>();
  const line: Line = { timers, silent, lateMs: options.lateMs ?? LATE_MS, dripMs: options.dripMs ?? DRIP_MS };
  // Idle connections stay open: a client that is about to reuse one would take its end for a fault.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    // A request that was cut off was never made.
    void handle(request, response).catch(() => response.destroy());
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const read = await readCall(request, apiKey);
    if ("refusal" in read) write(response, read.refusal);
    else send(line, response, desk.answer(read.call));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    purchases: () => desk.ledger.list().map(toTruePurchase),
    calls: () => desk.calls,
    describe: (account) => describeAccount(desk, account),
    heal() {
      desk.heal();
      for (const response of silent) response.destroy();
    },
    async close() {
      timers.clear();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Timers = ReturnType<typeof createTimers>;

function createTimers() {
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

type Line = { timers: Timers; silent: Set<ServerResponse>; lateMs: number; dripMs: number };

/** Writes a response, or what the plan leaves of it. */
function send(line: Line, response: ServerResponse, { reply, step }: Answer): void {
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
      line.timers.schedule(line.lateMs, () => write(response, reply));
      return;
    case "hang":
      keepSilent(line, response);
      return;
    case "drip":
      keepSilent(line, response);
      response.writeHead(reply.status, { ...reply.headers });
      drip(line, response);
      return;
    default:
      write(response, reply);
  }
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

function write(response: ServerResponse, reply: Reply): void {
  if (response.destroyed) return;
  writeHead(response, reply);
  response.end(reply.text);
}

const writeHead = (response: ServerResponse, { status, headers, text }: Reply): void =>
  void response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) });

const toTruePurchase = (purchase: Purchase): TruePurchase => ({
  reference: purchase.reference,
  account: purchase.account,
  unit: purchase.unit,
  sku: purchase.sku,
  orderId: purchase.orderId,
  state: statusOf(purchase),
  code: purchase.goods && codeOf(purchase.goods),
  repeated: purchase.repeated,
});

function describeAccount(desk: ReturnType<typeof createDesk>, account: string): string {
  const plans = desk.plans().filter(({ draw }) => draw.account === account);
  const calls = desk.calls.filter((call) => call.account === account);
  return [
    ...plans.map(({ draw, plan }) => describePlan(draw, plan)),
    ...calls.map(
      ({ verb, reference, number, mishap, heard, status }) =>
        `  ${reference} call ${number}: ${verb} ${heard ? "heard" : "unheard"}, ${mishap}, ${status}`,
    ),
  ].join("\n");
}
