import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { generateKey } from "../../src/keys/key-format.ts";
import type { OrderStatus } from "../../src/orders/status.ts";
import { scripDialect } from "./scrip-dialect.ts";
import { type CallRecord, createDesk, type DeskOptions } from "./upstream-desk.ts";
import type { Dialect } from "./upstream-dialect.ts";
import { codeOf, type Purchase, paidFor, statusOf } from "./upstream-ledger.ts";
import { describePlan } from "./upstream-plan.ts";
import { createTimers, type Line, sendAnswer, writeReply } from "./wire-replies.ts";

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
  reversed: boolean;
  /** What it cost in the end. */
  paidMinor: number;
};

export type FakeUpstream = {
  baseUrl: string;
  apiKey: string;
  purchases(): TruePurchase[];
  calls(): readonly CallRecord[];
  /** How many requests came with credentials that are not accepted. */
  turnedAway(): number;
  /** Takes back what was completed and is meant to be taken back. Returns their references. */
  reverse(): string[];
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
  return { ...(await startFake({ dialect: scripDialect(apiKey), ...options })), apiKey };
}

export type Fake = Omit<FakeUpstream, "apiKey">;

/** A supplier of any kind, with a server of its own. */
export async function startFake(options: FakeUpstreamOptions & { dialect: Dialect }): Promise<Fake> {
  const timers = createTimers();
  const desk = createDesk({
    ...options,
    scheduleLanding: (land) => timers.schedule(options.landMs ?? LAND_MS, land),
  });
  const silent = new Set<ServerResponse>();
  let turnedAway = 0;
  const line: Line = { timers, silent, lateMs: options.lateMs ?? LATE_MS, dripMs: options.dripMs ?? DRIP_MS };
  // Idle connections stay open: a client that is about to reuse one would take its end for a fault.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    // A request that was cut off was never made.
    void handle(request, response).catch(() => response.destroy());
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // The whole body is read in any case, because clients need not understand an early response.
    const read = options.dialect.readRequest(request, await text(request), desk.ledger);
    if ("reply" in read && read.reply.status === 401) turnedAway += 1;
    if ("reply" in read) writeReply(response, read.reply);
    else sendAnswer(line, response, desk.answer(read.call));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    purchases: () => desk.ledger.list().map(toTruePurchase),
    calls: () => desk.calls,
    turnedAway: () => turnedAway,
    reverse() {
      const taken = desk.ledger
        .list()
        .filter((one) => one.course.reverses && !one.reversed && statusOf(one) === "completed");
      for (const purchase of taken) purchase.reversed = true;
      return taken.map(({ reference }) => reference);
    },
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

const toTruePurchase = (purchase: Purchase): TruePurchase => ({
  reference: purchase.reference,
  account: purchase.account,
  unit: purchase.unit,
  sku: purchase.sku,
  orderId: purchase.orderId,
  state: statusOf(purchase),
  code: purchase.goods && codeOf(purchase.goods),
  repeated: purchase.repeated,
  reversed: purchase.reversed,
  paidMinor: paidFor(purchase),
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
