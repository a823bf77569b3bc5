import fc from "fast-check";
import { SPECIAL_RANGES } from "./special-addresses.ts";

/** An address as one number. The code under test compares bits of bytes; these tests compare numbers. */
export type AddressNumber = { bits: 32 | 128; value: bigint };

const SPECIAL_NUMBERS = SPECIAL_RANGES.map(({ first, last }) => ({
  first: addressNumber(first),
  last: addressNumber(last),
}));

/** Whether one of the ranges in the table contains the address. */
export const isSpecial = ({ bits, value }: AddressNumber): boolean =>
  SPECIAL_NUMBERS.some(
    ({ first, last }) => first.bits === bits && first.value <= value && value <= last.value,
  );

/** Any address: half of them anywhere, half within or next to a range of the table, where mistakes are likely. */
export const anyAddress: fc.Arbitrary<AddressNumber> = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map((value) => ({ bits: 32, value }) as const),
  fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map((value) => ({ bits: 128, value }) as const),
  fc.bigInt({ min: 2n ** 125n, max: 2n ** 126n - 1n }).map((value) => ({ bits: 128, value }) as const),
  fc
    .tuple(fc.constantFrom(...SPECIAL_NUMBERS), fc.boolean(), fc.bigInt({ min: -2n, max: 2n }))
    .map(([{ first, last }, atFirst, step]) => shifted(atFirst ? first : last, step)),
  fc
    .constantFrom(...SPECIAL_NUMBERS)
    .chain(({ first, last }) =>
      fc.bigInt({ min: first.value, max: last.value }).map((value) => ({ bits: first.bits, value })),
    ),
);

export const v4Text = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");

/** The eight groups of an IPv6 address. */
export const v6Groups = (value: bigint): number[] =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => Number((value >> shift) & 0xffffn));

/** Canonical text from the URL parser, which is independent of our code. */
export function canonicalText({ bits, value }: AddressNumber): string {
  if (bits === 32) return v4Text(value);
  const groups = v6Groups(value).map((group) => group.toString(16));
  return new URL(`https://[${groups.join(":")}]/`).hostname.slice(1, -1);
}

/** The number of an address without dots inside colons. */
export function addressNumber(text: string): AddressNumber {
  if (!text.includes(":")) {
    return { bits: 32, value: text.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
  }
  const [head = [], tail = []] = text.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const groups = [...head, ...new Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return { bits: 128, value: groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n) };
}

function shifted({ bits, value }: AddressNumber, step: bigint): AddressNumber {
  const size = 2n ** BigInt(bits);
  return { bits, value: (value + step + size) % size };
}
