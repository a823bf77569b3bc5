import type { FastifyInstance } from "fastify";
import type { Static } from "typebox";
import type { Db } from "../db/database.ts";
import { type Caller, callerOf } from "../http/caller.ts";
import { jsonReply } from "../http/json-reply.ts";
import { named } from "../http/named-schema.ts";
import { Type } from "../http/openapi/type.ts";
import { BURST_SECONDS, type RateLimits } from "../http/rate-limit.ts";
import type { Clock } from "../lib/clock.ts";
import { toSafeInteger } from "../lib/money.ts";
import { keyPrefix } from "./key-format.ts";
import { findSpentOn } from "./limits/limit-queries.ts";
import { getKey } from "./list-keys.ts";
import { findOwner, type KeyRow } from "./queries.ts";

type MeDeps = { db: Db; clock: Clock; rateLimits: RateLimits };

export function meRoutes(app: FastifyInstance, deps: MeDeps): void {
  app.get("/v1/me", {
    config: { scope: "any" },
    schema: {
      operationId: "getMe",
      tags: ["Account"],
      summary: "Describe the key",
      description:
        "Returns the key that the request was sent with, its reseller and its limits. Use it to check which environment and scopes a key has. `spentToday` is there for a key with `wallet:read` whose spending is limited or counted.",
      response: { 200: jsonReply("The key, its reseller and its limits.", Me) },
    },
    handler: async (request) => describeCaller(deps, callerOf(request)),
  });
}

const amount = (description: string) =>
  Type.Optional(Type.Object({ amount: Type.Integer(), currency: Type.String() }, { description }));

const rate = Type.Object({
  perSecond: Type.Integer({ description: "Requests per second. 0 if there is no limit." }),
  burst: Type.Integer({ description: "Requests that can be sent at once. 0 if there is no limit." }),
});

const Me = named(
  "Me",
  Type.Object({
    key: Type.Object({
      id: Type.String({ description: "Key id.", examples: ["key_01m7ef4g9je00974k1yf0xf7j3"] }),
      name: Type.String(),
      environment: Type.String({ description: "`live` or `test`." }),
      prefix: Type.String({ examples: ["sc_live_"] }),
      last4: Type.String({ description: "The last four characters of the key." }),
      scopes: Type.Array(Type.String()),
      allowedIps: Type.Array(Type.String(), {
        description: "The addresses and ranges that can use the key. Empty if every address can.",
      }),
      createdAt: Type.String({ format: "date-time" }),
      expiresAt: Type.Optional(Type.String({ format: "date-time" })),
      maxOrder: amount("The most that one order can cost."),
      maxDay: amount("The most that the key can spend in a day in UTC."),
      spentToday: amount("What the key has spent since 00:00 UTC."),
      velocityTimes: Type.Optional(
        Type.Integer({ description: "The key is frozen above so many times its usual hour." }),
      ),
    }),
    reseller: Type.Object({ id: Type.String(), name: Type.String(), currency: Type.String() }),
    limits: Type.Object({ orders: rate, reads: rate }),
    time: Type.String({ format: "date-time", description: "The server's clock." }),
  }),
);

async function describeCaller({ db, clock, rateLimits }: MeDeps, caller: Caller): Promise<Static<typeof Me>> {
  const now = clock.now();
  const [key, reseller] = await Promise.all([
    getKey(db, caller, caller.actor.id),
    findOwner(db, caller.resellerId),
  ]);
  const mayRead = caller.scopes.includes("wallet:read") && key.countedFrom !== null;
  const spent = mayRead ? await findSpentOn(db, [key.id], now.toISOString().slice(0, 10)) : undefined;
  return {
    key: { ...viewOf(key), ...(spent ? { spentToday: money(spent.get(key.id) ?? 0n, key.currency) } : {}) },
    reseller,
    limits: {
      orders: rateOf(caller.rateLimits.orders ?? rateLimits.orders),
      reads: rateOf(caller.rateLimits.reads ?? rateLimits.reads),
    },
    time: now.toISOString(),
  };
}

const viewOf = (key: KeyRow) => ({
  id: key.id,
  name: key.name,
  environment: key.environment,
  prefix: keyPrefix(key.environment),
  last4: key.lastFour,
  scopes: key.scopes,
  allowedIps: key.allowedIps,
  createdAt: key.createdAt.toISOString(),
  ...(key.expiresAt ? { expiresAt: key.expiresAt.toISOString() } : {}),
  ...(key.maxOrderMinor === null ? {} : { maxOrder: money(key.maxOrderMinor, key.currency) }),
  ...(key.maxDayMinor === null ? {} : { maxDay: money(key.maxDayMinor, key.currency) }),
  ...(key.velocityTimes === null ? {} : { velocityTimes: key.velocityTimes }),
});

const money = (minor: bigint, currency: string) => ({ amount: toSafeInteger(minor), currency });

const rateOf = (perSecond: number) => ({ perSecond, burst: perSecond * BURST_SECONDS });
