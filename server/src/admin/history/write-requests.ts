import type { Db } from "../../db/database.ts";
import { rateLimited } from "../../http/rate-limit.ts";
import { idsOf } from "../../lib/ids.ts";
import { notFound, Problem, problemBody } from "../../lib/problem.ts";
import type { LoggedRequest } from "../../requests/logged-request.ts";
import { KEPT_DAYS, keepPartitions } from "../../requests/partitions.ts";
import { insertRequests } from "../../requests/queries.ts";
import type { Chance } from "./chance.ts";
import { clockAt, type WrittenOrder } from "./write-orders.ts";

const DAY_MS = 86_400_000;
const BATCH_MAX = 1_000;
/** keepPartitions makes the day before, the day itself and two more. */
const DAYS_AT_ONCE = 4;

/** Addresses of the block that is reserved for documentation. */
const ADDRESSES = [
  ["203.0.113.24", 3],
  ["203.0.113.61", 2],
] as const;

/** What goes wrong now and then, and the requests that it goes wrong with. */
const MISHAPS: readonly (readonly [Mishap | undefined, number])[] = [
  [undefined, 90],
  [{ method: "POST", path: "/v1/orders", problem: outOfStock }, 3],
  [{ method: "GET", path: "/v1/products/nimbus-us-75", problem: notFound }, 2],
  [{ method: "POST", path: "/v1/orders", problem: badQuantity }, 2],
  [{ method: "POST", path: "/v1/orders", problem: () => rateLimited(1) }, 2],
];
type Mishap = { method: string; path: string; problem: () => Problem };

/** The requests that placed these orders, and those that callers make around them. */
export async function writeRequests(
  db: Db,
  chance: Chance,
  orders: readonly WrittenOrder[],
  { now, baseUrl }: { now: Date; baseUrl: string },
): Promise<void> {
  const oldestMs = (Math.floor(now.getTime() / DAY_MS) - KEPT_DAYS + 1) * DAY_MS;
  for (let atMs = oldestMs + DAY_MS; atMs < now.getTime() + DAY_MS; atMs += DAYS_AT_ONCE * DAY_MS)
    await keepPartitions(db, new Date(Math.min(atMs, now.getTime())));
  const kept = orders.filter(({ at }) => at.getTime() >= oldestMs);
  const requests = kept.flatMap((order) => requestsOf(chance, order, baseUrl));
  for (let from = 0; from < requests.length; from += BATCH_MAX)
    await insertRequests(db, requests.slice(from, from + BATCH_MAX));
}

function requestsOf(chance: Chance, order: WrittenOrder, baseUrl: string): LoggedRequest[] {
  const address = chance.pick(ADDRESSES);
  const base = { buyer: order.buyer, at: order.at, address };
  const later = (ms: number) => new Date(order.at.getTime() + ms);
  const read = (method: string, path: string, at: Date) =>
    toRequest({ ...base, method, path, at, status: 200, durationMs: chance.between(2, 14) });
  const requests = [
    // It began a few milliseconds before the order was made, and ended a few after.
    toRequest({
      ...base,
      method: "POST",
      path: "/v1/orders",
      at: later(-chance.between(3, 9)),
      status: 202,
      durationMs: chance.between(11, 30),
    }),
  ];
  if (chance.happens(0.7))
    requests.push(read("GET", `/v1/orders/${order.id}`, later(chance.between(2_500, 9_000))));
  if (chance.happens(0.6))
    requests.push(read("GET", `/v1/orders/${order.id}/codes`, later(chance.between(9_500, 20_000))));
  if (chance.happens(0.3)) requests.push(read("GET", "/v1/catalog", later(-chance.between(20_000, 90_000))));
  if (chance.happens(0.15))
    requests.push(read("GET", "/v1/balance", later(-chance.between(100_000, 400_000))));
  const mishap = chance.pick(MISHAPS);
  if (mishap)
    requests.push(
      toRefused(chance, { ...base, at: later(-chance.between(500_000, 900_000)) }, mishap, baseUrl),
    );
  return requests;
}

type About = Pick<WrittenOrder, "buyer" | "at"> & { address: string };

function toRequest(
  about: About & Pick<LoggedRequest, "method" | "path" | "status" | "durationMs">,
): LoggedRequest {
  const { buyer, address, at, method, path, status, durationMs } = about;
  return {
    id: idsOf(clockAt(at))("req"),
    resellerId: buyer.resellerId,
    environment: buyer.environment,
    actor: buyer.key,
    keyHint: null,
    keyDigest: null,
    method,
    path,
    status,
    errorCode: null,
    errorBody: null,
    durationMs,
    address,
  };
}

function toRefused(
  chance: Chance,
  about: About,
  { method, path, problem }: Mishap,
  baseUrl: string,
): LoggedRequest {
  const refusal = problem();
  const request = toRequest({
    ...about,
    method,
    path,
    status: refusal.status,
    durationMs: chance.between(1, 9),
  });
  const errorBody = JSON.stringify(problemBody(refusal, baseUrl, request.id));
  return { ...request, errorCode: refusal.code, errorBody };
}

function outOfStock(): Problem {
  const detail = '"Nimbus Store 3,000 JPY" is out of stock.';
  const errors = [{ pointer: "/lines/0/productId", code: "out_of_stock", detail }];
  return new Problem("out_of_stock", detail, { errors, members: { available: 0 } });
}

function badQuantity(): Problem {
  const detail = '"Lumora Music, one month, US" is sold in quantities of 1 to 3 per line.';
  const errors = [{ pointer: "/lines/0/quantity", code: "quantity_out_of_range", detail }];
  return new Problem("quantity_out_of_range", detail, { errors });
}
