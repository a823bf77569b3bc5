/**
 * The code (of a top-up: the receipt) that a sandbox order delivers for a unit (CONTRACT 7): the first 60 bits of SHA-256
 * of `idempotencyKey:lineIndex:unitIndex`, indexes from 0. A test can compute it before it orders.
 */
export declare function sandboxCode(idempotencyKey: string, lineIndex: number, unitIndex: number): Promise<string>;
