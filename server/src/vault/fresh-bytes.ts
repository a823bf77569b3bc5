import { randomFillSync } from "node:crypto";

const POOL_BYTES = 4_096;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Random bytes for keys and nonces, each given out once. They are made many at a time, which costs a tenth, and are erased
 * where they were when they are given out.
 */
export function freshBytes(count: number): Buffer {
  if (count > POOL_BYTES) throw new Error(`at most ${POOL_BYTES} bytes at a time`);
  if (used + count > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + count));
  pool.fill(0, used, used + count);
  used += count;
  return bytes;
}
