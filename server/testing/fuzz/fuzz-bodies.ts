import type { Random } from "../seed.ts";
import { hostileBody } from "./hostile-bodies.ts";

/** Text that is written into JSON unchanged, for what no JavaScript value can represent. */
const RAW = Symbol("raw");
type Raw = { [RAW]: string };
const raw = (text: string): Raw => ({ [RAW]: text });

export type SpoiltBody = { fault: string; bytes: Buffer; contentType: string | undefined; encoding?: string };

/** A valid body with a fault: in one of its values, in its bytes, or in all of it. */
export function spoilBody(random: Random, body: unknown, planted: string): SpoiltBody {
  const how = random.below(10);
  if (how === 0) {
    const { name, ...hostile } = hostileBody(random, planted);
    return { fault: `body ${name}`, ...hostile };
  }
  if (how <= 2) return { ...spoilBytes(random, Buffer.from(JSON.stringify(body))), contentType: JSON_TYPE };
  const { fault, value } = spoilTree(random, body);
  return { fault: `body ${fault}`, bytes: Buffer.from(writeJson(value)), contentType: JSON_TYPE };
}

const JSON_TYPE = "application/json";

function spoilBytes(random: Random, bytes: Buffer): { fault: string; bytes: Buffer } {
  const at = random.below(bytes.length);
  const insert = (what: Buffer) => Buffer.concat([bytes.subarray(0, at), what, bytes.subarray(at)]);
  const [fault, spoil] = random.pick<readonly [string, () => Buffer]>([
    ["bad UTF-8", () => insert(random.pick(BAD_UTF8))],
    ["a NUL byte", () => insert(Buffer.from([0]))],
    ["cut short", () => bytes.subarray(0, at)],
    ["a byte more", () => insert(Buffer.from([random.below(256)]))],
    ["doubled", () => Buffer.concat([bytes, bytes])],
    ["a byte order mark", () => Buffer.concat([Buffer.from("\ufeff"), bytes])],
  ]);
  return { fault: `body ${fault}`, bytes: spoil() };
}

const BAD_UTF8 = [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xc0, 0x80]].map(
  (bytes) => Buffer.from(bytes),
);

type Place = { holder: Record<string, unknown>; name: string };

/** Replaces, duplicates or removes one value of the tree, or adds an unexpected one. */
function spoilTree(random: Random, body: unknown): { fault: string; value: unknown } {
  const root = { body: structuredClone(body) };
  const { holder, name } = random.pick(placesIn(root as Record<string, unknown>));
  const hostile = random.pick(HOSTILE_VALUES);
  const extra = random.pick(ODD_NAMES);
  const old = holder[name];
  switch (random.below(6)) {
    case 0:
      if (name !== "body") delete holder[name];
      return { fault: `without ${name}`, value: root.body };
    case 1:
      holder[name] = raw(`${writeJson(old)},${JSON.stringify(name)}:${writeJson(hostile)}`);
      return { fault: `${name} twice`, value: root.body };
    case 2:
      if (typeof old === "object" && old !== null && !Array.isArray(old))
        Object.assign(old, own(extra, hostile));
      else holder[name] = own(extra, old);
      return { fault: `${extra} in ${name}`, value: root.body };
    case 3:
      holder[name] = Array.from({ length: random.pick([0, 2, 51, 65, 1_000]) }, () =>
        Array.isArray(old) ? old[0] : old,
      );
      return { fault: `${name} many times`, value: root.body };
    default:
      holder[name] = hostile;
      return { fault: `${name} is ${writeJson(hostile).slice(0, 40)}`, value: root.body };
  }
}

/** Also works for names with a special meaning in object literals. */
const own = (name: string, value: unknown): Record<string, unknown> => Object.fromEntries([[name, value]]);

function placesIn(holder: Record<string, unknown>): Place[] {
  return Object.entries(holder).flatMap(([name, value]) => [
    { holder, name },
    ...(typeof value === "object" && value !== null ? placesIn(value as Record<string, unknown>) : []),
  ]);
}

function writeJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeJson).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (RAW in value) return String(value[RAW]);
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${writeJson(inner)}`);
  return `{${members.join()}}`;
}

const ODD_NAMES = [
  "extra",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "",
  "a/b~c",
  "$ref",
  "id",
  "price",
  "resellerId",
  "environment",
  "\u202e",
  "x".repeat(300),
];

const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  2 ** 31,
  2 ** 53 - 1,
  -(2 ** 53 - 1),
  raw("9007199254740992"),
  raw("-9223372036854775809"),
  raw("1e400"),
  raw("1E2"),
  raw("-0"),
  raw("0.1e1"),
  raw("1".repeat(400)),
  raw("NaN"),
  raw("01"),
  "",
  " ",
  "0",
  "1",
  "-1",
  "null",
  "x".repeat(129),
  "x".repeat(2_049),
  "x".repeat(20_000),
  "😀".repeat(64),
  "e\u0301\u202e\u200b",
  "a\tb\nc",
  raw('"\\u0000"'),
  raw('"\\ud800"'),
  raw('"\\udc00\\ud800"'),
  raw('"a\\u007fb"'),
  "'; drop table orders; --",
  "%00",
  "{{7*7}}",
  "2026-02-30T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
  "+275760-09-13T00:00:00.001Z",
  "-000001-01-01T00:00:00Z",
  "2026-01-01T00:00:00.123456789Z",
  "2026-01-01T24:00:00Z",
  "http://127.0.0.1/",
  "https://127.0.0.1:0/",
  "https://10.0.0.1/",
  "https://[::1]/",
  "https://[::ffff:10.0.0.1]/",
  "https://169.254.169.254/latest",
  "https://user:word@127.0.0.1:8443/",
  "https://127.1:8443/",
  "https://0x7f000001:8443/",
  "https://\u2127.0.0.1/",
  "javascript:alert(1)",
  "ord_00000000000000000000000000",
  [],
  {},
  [[]],
  [{}],
  [null],
  raw("[".repeat(17) + "]".repeat(17)),
  raw(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`),
  raw("[".repeat(20_000)),
  raw(`{${Array.from({ length: 200 }, (_, index) => `"k${index}":0`).join()}}`),
];
