import fc from "fast-check";
import { type AddressNumber, canonicalText, v4Text, v6Groups } from "./address-numbers.ts";

/** All spellings of an IPv6 address that RFC 4291 allows, canonical or not. */
export function v6Spellings(address: AddressNumber): string[] {
  const groups = v6Groups(address.value).map((group) => group.toString(16));
  const padded = groups.map((group) => group.padStart(4, "0"));
  const dotted = v4Text(address.value & 0xffffffffn);
  return [
    groups.join(":"),
    padded.join(":"),
    padded.join(":").toUpperCase(),
    [...groups.slice(0, 6), dotted].join(":"),
    canonicalText(address),
    canonicalText(address).toUpperCase(),
  ];
}

/** A host that may lead to this address after the URL parser has normalized it, in one of many thousands of ways. */
export const anySpelling = (address: AddressNumber): fc.Arbitrary<string> =>
  address.bits === 128
    ? fc.constantFrom(...v6Spellings(address)).map((text) => `[${text}]`)
    : v4Spelling(address.value).chain(disguised);

/** One to four numbers, each decimal, octal or hexadecimal. The last one holds the rest. */
const v4Spelling = (value: bigint): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom(10, 10, 8, 16), { minLength: 4, maxLength: 4 }),
    )
    .map(([count, bases]) => {
      const bytes = v4Text(value).split(".").map(BigInt);
      const last = bytes.slice(count - 1).reduce((sum, byte) => sum * 256n + byte, 0n);
      return [...bytes.slice(0, count - 1), last]
        .map((part, index) => PREFIXES[bases[index] ?? 10] + part.toString(bases[index]))
        .join(".");
    });

const PREFIXES: Readonly<Record<number, string>> = { 8: "0", 10: "", 16: "0x" };

const DISGUISES: readonly ((text: string, at: number) => string)[] = [
  (text) => text,
  (text) => `${text}.`,
  (text) => text.toUpperCase(),
  (text, at) => `${text.slice(0, at)}\u00ad${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}\u200b${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}\t${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}\n${text.slice(at)}`,
  (text) => text.replaceAll(".", "\u3002"),
  (text) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (text) => text.replaceAll(/[1-9]/g, (digit) => String.fromCodePoint(0x245f + Number(digit))),
  (text, at) => text.replaceAll(text.charAt(at) || ".", (char) => `%${char.charCodeAt(0).toString(16)}`),
];

const disguised = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...DISGUISES), fc.nat({ max: text.length }))
    .map(([disguise, at]) => disguise(text, at));
