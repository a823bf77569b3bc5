/** Spaces at its ends would be lost in transit, and it would be another key. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
export function checkIdempotencyKey(key) {
    if (IDEMPOTENCY_KEY.test(key))
        return key;
    throw new RangeError("idempotencyKey must be 1 to 255 printable ASCII characters");
}
