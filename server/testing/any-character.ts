import fc from "fast-check";

const SURROGATES = { first: 0xd800, last: 0xdfff };
const LAST = 0x10ffff;

/**
 * Any character that a text can have. fast-check has such units too, but lists all million characters each time that one is asked
 * for, which takes a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(
    fc.integer({ min: 0, max: SURROGATES.first - 1 }),
    fc.integer({ min: SURROGATES.last + 1, max: LAST }),
  )
  .map((code) => String.fromCodePoint(code));
