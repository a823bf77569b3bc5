import { METHODS } from "node:http";
import { ECHO_URL } from "../app/echo-route.ts";
import { createRandom, type Random } from "../seed.ts";
import { hostileBody } from "./hostile-bodies.ts";

/** A faulty request, not serialized yet. */
export type HostileRequest = {
  /** The faults, for the message of a failing test. */
  faults: string[];
  method: string;
  target: string;
  headers: [string, string][];
  body: Buffer | undefined;
  framing: "length" | "chunked";
  /** The body ends before the announced length. */
  cut: boolean;
};

export type HostileOptions = { key: string; urls: readonly string[] };

/** The faulty request of this seed: a valid one with one to three faults. */
export function hostileRequest(seed: number, options: HostileOptions): HostileRequest {
  const random = createRandom(seed);
  const request: HostileRequest = {
    faults: [],
    method: "GET",
    target: random.pick(options.urls),
    headers: [["Host", "localhost"]],
    body: undefined,
    framing: random.chance(0.3) ? "chunked" : "length",
    cut: false,
  };
  if (random.chance(0.9)) request.headers.push(["X-API-Key", options.key]);
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const name = random.pick(FAULT_NAMES);
    request.faults.push(name);
    FAULTS[name](request, random, options.key);
  }
  return request;
}

type Fault = (request: HostileRequest, random: Random, key: string) => void;

const FAULTS = {
  body(request, random, key) {
    const body = hostileBody(random, key);
    request.faults.push(body.name);
    Object.assign(request, { method: "POST", target: ECHO_URL, body: body.bytes });
    if (body.contentType !== undefined) request.headers.push(["Content-Type", body.contentType]);
    if (body.encoding !== undefined) request.headers.push(["Content-Encoding", body.encoding]);
    if (body.bytes.length > 0 && random.chance(0.1)) request.cut = true;
  },
  header(request, random, key) {
    const [name, value] = random.pick(ODD_HEADERS);
    request.headers.push([name, value.replaceAll("PLANTED", key)]);
  },
  "many headers"(request, random) {
    const count = random.pick([10, 100, 1_000, 3_000]);
    for (let index = 0; index < count; index += 1) request.headers.push([`X-Odd-${index}`, "1"]);
  },
  "huge header"(request, random) {
    request.headers.push([
      random.pick(["Cookie", "X-API-Key", "If-None-Match", "X-Big"]),
      "a,".repeat(random.below(20_000)),
    ]);
  },
  "repeated header"(request, random) {
    const [name, value] = random.pick(request.headers);
    request.headers.push([
      random.chance(0.5) ? name.toUpperCase() : name,
      random.chance(0.5) ? value : "other",
    ]);
  },
  query(request, random, key) {
    const mark = request.target.includes("?") ? "&" : "?";
    request.target += mark + random.pick(ODD_QUERIES).replaceAll("PLANTED", key);
  },
  path(request, random, key) {
    request.target = random.pick(ODD_PATHS).replaceAll("PLANTED", key);
  },
  "part of the path"(request, random) {
    request.target = `/v1/${random.pick(["products", "orders"])}/${random.pick(ODD_SEGMENTS)}`;
  },
  method(request, random) {
    request.method = random.pick(METHODS);
  },
} satisfies Record<string, Fault>;

const FAULT_NAMES = [...(Object.keys(FAULTS) as (keyof typeof FAULTS)[]), "body", "body"] as const;

export const ODD_HEADERS: readonly (readonly [string, string])[] = [
  ["Authorization", "Bearer PLANTED"],
  ["Authorization", "Bearer PLANTED, Bearer PLANTED"],
  ["Authorization", `Bearer ${" ".repeat(4_000)}x`],
  ["Authorization", "Basic UExBTlRFRA=="],
  ["Cookie", "key=PLANTED"],
  ["Referer", "https://example.com/?key=PLANTED"],
  ["X-API-Key", "sc_live_é\x80\xff"],
  ["X-Forwarded-For", `${"1.1.1.1,".repeat(1_000)}x`],
  ["X-Request-Id", "req_mine"],
  ["Expect", "100-continue"],
  ["Expect", "the-impossible"],
  ["Connection", "close"],
  ["Connection", "X-API-Key"],
  ["Range", "bytes=0-1"],
  ["If-None-Match", '"'],
  ["If-None-Match", "W/W/W/*"],
  ["Accept", "application/xml;q=\u00ff"],
  ["Accept-Encoding", "gzip;q=9, br;q=x, *"],
  ["Origin", "null"],
  ["X-HTTP-Method-Override", "DELETE"],
  ["__proto__", "1"],
  ["constructor", "1"],
  ["Content-Type", "text/plain"],
  ["Content-Type", "application/json"],
  ["Trailer", "X-API-Key"],
  ["Host", "elsewhere"],
];

export const ODD_QUERIES = [
  "%",
  "%zz=1",
  "limit=%ff",
  "limit=%00",
  "limit=1&limit=2",
  "limit[]=1",
  "limit[a]=1",
  "limit=-1",
  "limit=99999999999999999999999",
  "cursor=%F0%9F%98%80",
  "cursor=PLANTED",
  "PLANTED=1",
  "__proto__=1",
  "__proto__[admin]=1",
  "constructor.prototype=1",
  "toString",
  "=",
  "&&&&",
  "?",
  "#limit=1",
  ";limit=1",
  `q=${"a".repeat(9_000)}`,
  `${"a&".repeat(3_000)}`,
  `${"limit=1&".repeat(800)}`,
] as const;

const ODD_PATHS = [
  "/",
  "//",
  "/v1",
  "/v1/",
  "/v1//catalog",
  "/v1/catalog/",
  "/V1/Catalog",
  "/v1/./catalog",
  "/v1/../v1/catalog",
  "/v1/%2e%2e/catalog",
  "/v1/catalog%00",
  "/v1/catalog%2f",
  "/v1/%63atalog",
  "/v1/catalog;a=b",
  "/v1/catalog#limit=1",
  "/v1/products",
  "/v1/products/",
  "/v1/products//",
  "/v1/products/a/b",
  "/v2/catalog",
  "/errors/PLANTED",
  "/docs/PLANTED",
  "/docs/../../etc/passwd",
  "/%",
  "/%c3%28",
  "/\\..\\..",
  "*",
  "http://elsewhere/v1/catalog",
  "https://elsewhere",
  "ftp://elsewhere/",
  "/PLANTED/%zz",
  `/${"a/".repeat(5_000)}`,
  `/v1/${"a".repeat(10_000)}`,
] as const;

export const ODD_SEGMENTS = [
  "%00",
  "a%00b",
  "%2f",
  "..%2f..",
  "%",
  "%zz",
  "%c3%28",
  "%ed%a0%80",
  "%F0%9F%98%80",
  "%e2%80%ae",
  "'%20or%201=1",
  "__proto__",
  "constructor",
  "null",
  "-1",
  "%20",
  "%0d%0aX-Injected:%201",
  "x".repeat(129),
  "x".repeat(10_000),
  "%41".repeat(2_000),
  "*",
  "a?b#c",
] as const;
