import { getSubtle } from "./web-crypto.js";
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CHARACTERS = 12;
const CHARACTER_BITS = 5n;
/** The last four of the first 64 bits of the hash are not used. */
const UNUSED_BITS = 4n;
/**
 * The code (of a top-up: the receipt) that a sandbox order delivers for a unit (CONTRACT 7): the first 60 bits of SHA-256
 * of `idempotencyKey:lineIndex:unitIndex`, indexes from 0. A test can compute it before it orders.
 */
export async function sandboxCode(idempotencyKey, lineIndex, unitIndex) {
    for (const index of [lineIndex, unitIndex]) {
        if (!Number.isSafeInteger(index) || index < 0)
            throw new RangeError("indexes must be integers from 0");
    }
    const text = new TextEncoder().encode(`${idempotencyKey}:${lineIndex}:${unitIndex}`);
    const digest = await (await getSubtle()).digest("SHA-256", text);
    const bits = new DataView(digest).getBigUint64(0) >> UNUSED_BITS;
    const characters = Array.from({ length: CHARACTERS }, (_, index) => {
        const shift = CHARACTER_BITS * BigInt(CHARACTERS - 1 - index);
        return CROCKFORD.charAt(Number((bits >> shift) & 31n));
    }).join("");
    return `TEST-${characters.slice(0, 4)}-${characters.slice(4, 8)}-${characters.slice(8)}`;
}
