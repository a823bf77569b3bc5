import type { Question, Record, Say } from "./dns-message.ts";
import type { Speak } from "./dns-server.ts";

/** Public addresses, which a namespace of the network can give to its own loopback. */
export const PUBLIC_V4 = "93.184.215.14";
export const PUBLIC_V6 = "2606:4700::1111";
/** Addresses inside, which the namespace has too: a connection to one of them would succeed. */
export const INSIDE_V4 = ["127.0.0.1", "169.254.169.254", "10.0.0.1", "192.168.1.1", "100.64.0.1", "0.0.0.0"];
export const INSIDE_V6 = ["::1", "fd00::1", "::ffff:7f00:1", "64:ff9b::7f00:1", "2002:7f00:1::1"];

const a = (value: string): Record => ({ type: "A", value });
const aaaa = (value: string): Record => ({ type: "AAAA", value });
const NOTHING: Say = { records: [] };
const PUBLIC: Say = { records: [a(PUBLIC_V4)] };

/** What a name answers, by the type of the question. */
type Zone = (type: Question["type"], transport: "udp" | "tcp") => Say | undefined;
const both =
  (v4: Say | undefined, v6: Say | undefined): Zone =>
  (type) =>
    type === "A" ? v4 : v6;

const chain = (last: Record): Record[] => [
  { type: "CNAME", value: "one.example.net" },
  { type: "CNAME", name: "one.example.net", value: "two.example.net" },
  { ...last, name: "two.example.net" },
];

const manyPublic = Array.from({ length: 60 }, (_, index) => a(`93.184.${index}.14`));

/** After registration, when the name was public. Each leads inside, or nowhere. */
export const REBINDINGS: Readonly<{ [name: string]: Zone }> = {
  ...Object.fromEntries(
    INSIDE_V4.map((value, index) => [`v4-${index}`, both({ records: [a(value)] }, NOTHING)]),
  ),
  ...Object.fromEntries(
    INSIDE_V6.map((value, index) => [`v6-${index}`, both(NOTHING, { records: [aaaa(value)] })]),
  ),
  "mixed-last": both({ records: [a(PUBLIC_V4), a("127.0.0.1")] }, NOTHING),
  "mixed-first": both({ records: [a("10.0.0.1"), a(PUBLIC_V4)] }, NOTHING),
  split: both(PUBLIC, { records: [aaaa("fd00::1")] }),
  "split-other": both({ records: [a("169.254.169.254")] }, { records: [aaaa(PUBLIC_V6)] }),
  "split-broken": both({ failure: "servfail" }, { records: [aaaa("::1")] }),
  "split-silent": both(undefined, { records: [aaaa("fd00::1")] }),
  "half-public": both(PUBLIC, undefined),
  chain: both({ records: chain(a("127.0.0.1")) }, NOTHING),
  "chain-6": both(NOTHING, { records: chain(aaaa("::1")) }),
  "chain-loop": both({ records: [{ type: "CNAME", value: "chain-loop.example.com" }] }, NOTHING),
  "chain-localhost": both({ records: [{ type: "CNAME", value: "localhost" }] }, NOTHING),
  many: both({ records: [...manyPublic, a("127.0.0.1")] }, NOTHING),
  truncated: (type, transport) =>
    type !== "A" ? NOTHING : transport === "udp" ? { truncated: true } : { records: [a("127.0.0.1")] },
  "truncated-forever": (type, transport) =>
    type !== "A" ? NOTHING : transport === "udp" ? { truncated: true } : undefined,
  slow: both({ records: [a("127.0.0.1")], afterMs: 300 }, NOTHING),
  silent: () => undefined,
  junk: () => ({ junk: true }),
  gone: both({ failure: "nxdomain" }, { failure: "nxdomain" }),
  empty: both(NOTHING, NOTHING),
};

/** Its answer changes with every question. */
export const FLIPPING = "flipping";
/** Stays public. */
export const STEADY = "steady";

export const hostOf = (name: string): string => `${name}.example.com`;

/** A name server of the attacker: everything is public until `turn` is called. */
export function createRebinding(): { speak: Speak; turn(): void } {
  let isTurned = false;
  return {
    turn: () => {
      isTurned = true;
    },
    speak: ({ name, type }, asked, transport) => {
      const label = name.split(".")[0] ?? "";
      if (label === FLIPPING)
        return type === "A" ? { records: [a(asked % 2 === 0 ? PUBLIC_V4 : "127.0.0.1")] } : NOTHING;
      const zone = isTurned ? REBINDINGS[label] : undefined;
      return zone ? zone(type, transport) : both(PUBLIC, NOTHING)(type, transport);
    },
  };
}
