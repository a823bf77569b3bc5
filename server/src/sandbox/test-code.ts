import { hash } from "node:crypto";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const GROUPS = 3;
const GROUP_CHARACTERS = 4;

/**
 * The code of a sandbox unit (CONTRACT 7): the first 60 bits of SHA-256 over the order's idempotency key and the unit's
 * place, five at a time. The author of a test can compute it before ordering.
 */
export function testCode(idempotencyKey: string, lineIndex: number, unitIndex: number): string {
  const digest = hash("sha256", `${idempotencyKey}:${lineIndex}:${unitIndex}`, "buffer");
  let bits = digest.readBigUInt64BE() >> 4n;
  let text = "";
  for (let index = 0; index < GROUPS * GROUP_CHARACTERS; index += 1) {
    text = CROCKFORD.charAt(Number(bits & 31n)) + text;
    bits >>= 5n;
  }
  return `TEST-${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8)}`;
}
