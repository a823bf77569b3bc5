import { SCOPES } from "../../src/http/caller.ts";
import { isForcedAnswer, isScenario } from "../../src/sandbox/scenarios.ts";
import type { Random } from "../seed.ts";
import { spoilBody } from "./fuzz-bodies.ts";
import type { FuzzMemory } from "./fuzz-memory.ts";
import type { FuzzOperation } from "./fuzz-operations.ts";
import { goodValue, type ValueContext } from "./fuzz-values.ts";
import type { FuzzKey, FuzzWorld } from "./fuzz-world.ts";
import { type HostileRequest, ODD_HEADERS, ODD_QUERIES, ODD_SEGMENTS } from "./hostile-requests.ts";

/** A request of the fuzzer, with what is known about its expected response. */
export type FuzzRequest = HostileRequest & {
  operation: FuzzOperation;
  key: FuzzKey;
  /** The object in its path, if a tenant has seen it. */
  objectId: string | undefined;
  /** A test key asked for this error. */
  forced: boolean;
  /** The body before it was changed. */
  content: unknown;
};

/** The name for a path with an unsupported method. */
export const NO_OPERATION = "no operation";
/** The name for bytes that are hardly a request. */
export const BROKEN_BYTES = "the wire";

export type FuzzSources = {
  world: FuzzWorld;
  memory: FuzzMemory;
  operations: readonly FuzzOperation[];
  receiverUrl: string;
  deadUrl: string;
};

/** The share of valid requests, so that objects are created and used. They cost more than refused ones. */
const GOOD_SHARE = 0.45;
const FOREIGN_SHARE = 0.12;
const STOLEN_SHARE = 0.02;
/** Most other operations depend on placements. */
const PLACEMENT_WEIGHT = 3;

/** A request to some operation with some key. More than half have a fault. */
export function fuzzRequest(
  { world, memory, operations, receiverUrl, deadUrl }: FuzzSources,
  random: Random,
  mark: string,
): FuzzRequest {
  const operation = random.pick(weightedOf(operations));
  const stolen = stolenKey(memory.recall(random, random.pick(memory.tenants), "secret"));
  const known = random.chance(0.85) ? random.pick(world.owners) : random.pick(world.keys);
  const key = random.chance(STOLEN_SHARE) ? stolen : known;
  const own = key.tenant ?? random.pick(memory.tenants);
  const foreign = random.pick(memory.tenants);
  const tenant = random.chance(FOREIGN_SHARE) ? foreign : own;
  const context = { random, memory, tenant, operationId: operation.id, mark, receiverUrl, deadUrl };
  const request = goodRequest(context, operation, key, own);
  if (!random.chance(GOOD_SHARE)) spoil(request, random);
  request.operation = calledOperation(request, operations);
  request.forced = asksForError(request);
  return request;
}

const weighted = new WeakMap<readonly FuzzOperation[], readonly FuzzOperation[]>();

function weightedOf(operations: readonly FuzzOperation[]): readonly FuzzOperation[] {
  const placements = operations.filter(({ id }) => id === "placeOrder");
  const list = weighted.get(operations) ?? [
    ...operations,
    ...Array.from({ length: PLACEMENT_WEIGHT - 1 }, () => placements).flat(),
  ];
  weighted.set(operations, list);
  return list;
}

/** A webhook's signing secret gives no access. */
const stolenKey = (secret: string): FuzzKey => ({
  name: "a webhook's secret",
  key: secret,
  tenant: undefined,
  refusal: "unauthenticated",
  scopes: SCOPES,
});

function goodRequest(
  context: ValueContext,
  operation: FuzzOperation,
  key: FuzzKey,
  own: string,
): FuzzRequest {
  const { random, memory } = context;
  const objectId = memory.recall(random, context.tenant, operation.object ?? "products");
  const headers: [string, string][] = [["Host", "localhost"]];
  if (key.key !== undefined)
    headers.push(random.chance(0.8) ? ["X-API-Key", key.key] : ["Authorization", `Bearer ${key.key}`]);
  const query = new URLSearchParams();
  for (const { name, in: place, required = false, schema = {} } of operation.parameters) {
    const chosen = random.chance(shareOf(name));
    const value = String(
      goodValue({ ...context, tenant: place === "header" ? own : context.tenant }, name, schema),
    );
    if (!required && !chosen) continue;
    if (place === "query") query.set(name, value);
    if (place === "header") headers.push([name, value]);
    if (name === "Idempotency-Key") memory.note(own, "idempotency key", value);
  }
  const search = query.size > 0 ? `?${query}` : "";
  const request: FuzzRequest = {
    faults: [],
    method: operation.method === "GET" && random.chance(0.04) ? "HEAD" : operation.method,
    target: operation.path.replace(/\{\w+\}/, encodeURIComponent(objectId)) + search,
    headers,
    body: undefined,
    framing: random.chance(0.2) ? "chunked" : "length",
    cut: false,
    operation,
    key,
    objectId: operation.object === undefined ? undefined : objectId,
    forced: false,
    content: operation.body && goodValue(context, "body", operation.body.schema),
  };
  if (operation.body && (operation.body.required || random.chance(0.6))) {
    headers.push(["Content-Type", "application/json"]);
    request.body = Buffer.from(JSON.stringify(request.content));
    const { reference } = request.content as { reference?: string };
    if (reference !== undefined) memory.note(own, "reference", reference);
  }
  return request;
}

/** Optional parameters are rare, because most combinations match nothing. */
function shareOf(name: string): number {
  if (name === "limit") return 0.9;
  if (name === "X-Test-Scenario") return 0.25;
  return 0.2;
}

type Spoil = (request: FuzzRequest, random: Random) => void;

function spoil(request: FuzzRequest, random: Random): void {
  for (let times = 1 + random.below(2); times > 0; times -= 1) {
    const names = request.operation.body ? SPOIL_NAMES : SPOIL_NAMES.filter((name) => name !== "body");
    const name = request.operation.body && random.chance(0.5) ? "body" : random.pick(names);
    request.faults.push(name);
    SPOILS[name](request, random);
  }
}

const SPOILS = {
  body(request, random) {
    const planted = request.key.key ?? "";
    const { fault, bytes, contentType, encoding } = spoilBody(random, request.content, planted);
    request.faults.push(fault);
    request.body = bytes;
    setHeader(request, "Content-Type", contentType);
    if (encoding !== undefined) request.headers.push(["Content-Encoding", encoding]);
  },
  header(request, random) {
    const [name, value] = random.pick(ODD_HEADERS);
    request.faults.push(name);
    request.headers.push([name, value.replaceAll("PLANTED", request.key.key ?? "")]);
  },
  "header value"(request, random) {
    const names = request.operation.parameters
      .filter((each) => each.in === "header")
      .map((each) => each.name);
    const name = names.length > 0 ? random.pick(names) : "Accept";
    const value = random.pick(ODD_HEADER_VALUES);
    request.faults.push(`${name} ${value.slice(0, 20)}`);
    if (random.chance(0.3)) request.headers.push([name, value]);
    else setHeader(request, name, value);
  },
  query(request, random) {
    const odd = random.pick(ODD_QUERIES).replaceAll("PLANTED", request.key.key ?? "");
    request.target += (request.target.includes("?") ? "&" : "?") + odd;
  },
  parameter(request, random) {
    const names = request.operation.parameters.filter((each) => each.in === "query").map((each) => each.name);
    const name = names.length > 0 ? random.pick(names) : "limit";
    const value = random.pick(ODD_PARAMETERS);
    request.faults.push(`${name}=${value.slice(0, 20)}`);
    request.target += `${request.target.includes("?") ? "&" : "?"}${name}=${value}`;
  },
  path(request, random) {
    const segment = random.pick(ODD_SEGMENTS);
    request.target = request.operation.path.includes("{")
      ? request.operation.path.replace(/\{\w+\}/, () => segment)
      : `${request.operation.path}/${segment}`;
    request.objectId = undefined;
  },
  method(request, random) {
    request.method = random.pick(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]);
  },
} satisfies Record<string, Spoil>;

const SPOIL_NAMES = Object.keys(SPOILS) as (keyof typeof SPOILS)[];

function setHeader(request: FuzzRequest, name: string, value: string | undefined): void {
  request.headers = request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  if (value !== undefined) request.headers.push([name, value]);
}

/** With another method it is another operation, or none, of which nothing is known. */
function calledOperation(
  { method, operation }: FuzzRequest,
  operations: readonly FuzzOperation[],
): FuzzOperation {
  const verb = method === "HEAD" ? "GET" : method;
  const called = operations.find((each) => each.method === verb && each.path === operation.path);
  return called ?? { ...operation, id: NO_OPERATION, scope: undefined, object: undefined };
}

function asksForError({ key, headers }: FuzzRequest): boolean {
  const asked = headers.filter(([name]) => name === "X-Test-Scenario").map(([, value]) => value);
  const scenario = asked.join(", ");
  return (key.tenant?.endsWith("test") ?? false) && isScenario(scenario) && isForcedAnswer(scenario);
}

const ODD_HEADER_VALUES = [
  "",
  " ",
  "x".repeat(256),
  "x".repeat(8_000),
  "caf\xe9",
  "\xf0\x9f\x98\x80",
  "a\tb",
  "a,b",
  "__proto__",
  "constructor",
  "toString",
  "SUCCESS",
  "internal_error, success",
  "*",
  'W/"x"',
  '"unclosed',
];

const ODD_PARAMETERS = [
  "",
  "%20",
  "%00",
  "%ff",
  "%F0%9F%98%80",
  "-1",
  "1.5",
  "1e3",
  "0x10",
  "99999999999999999999",
  "true",
  "null",
  "__proto__",
  "a&b=c",
  "2026-01-01",
  "2026-13-01T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "2026-01-01T00:00:00%2B14:00",
  "%27%20or%201=1--",
  "ord_00000000000000000000000000",
  "x".repeat(2_000),
];
