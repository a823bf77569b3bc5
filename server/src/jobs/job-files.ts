import { gunzipSync, gzipSync } from "node:zlib";
import type { Queryable, Tx } from "../db/database.ts";
import type { Keyring } from "../vault/keyring.ts";
import { open, seal } from "../vault/seal.ts";
import { uploadContext } from "../vault/upload-context.ts";
import { appendResultPart, findInputPart, findResultPart, insertInputPart } from "./part-queries.ts";

/** Uploads are read into memory while they arrive. */
export const INPUT_MAX_BYTES = 64 * 1024 * 1024;
const PART_BYTES = 256 * 1024;
/** Of a result, before it is compressed. */
export const RESULT_MAX_BYTES = 1024 * 1024 * 1024;

/** Stores a file in sealed parts. */
export async function storeInput(tx: Tx, keyring: Keyring, jobId: string, input: Uint8Array): Promise<void> {
  if (input.length > INPUT_MAX_BYTES)
    throw new RangeError(`a file can have at most ${INPUT_MAX_BYTES / 1024 / 1024} MiB`);
  for (let number = 0; number * PART_BYTES < input.length; number += 1) {
    const part = input.subarray(number * PART_BYTES, (number + 1) * PART_BYTES);
    const sealed = seal(keyring.masterKeys(), uploadContext(jobId, number), part);
    await insertInputPart(tx, { jobId, number, sealed, bytes: part.length });
  }
}

/** The file in plain, part by part. */
export async function* readInput(db: Queryable, keyring: Keyring, jobId: string): AsyncGenerator<Uint8Array> {
  for (let number = 0; ; number += 1) {
    const sealed = await findInputPart(db, jobId, number);
    if (!sealed) return;
    yield open(keyring.masterKeys(), uploadContext(jobId, number), sealed);
  }
}

export async function appendResult(tx: Tx, jobId: string, text: string): Promise<void> {
  const plain = Buffer.from(text);
  await appendResultPart(tx, { jobId, packed: gzipSync(plain), bytes: plain.length });
}

/** The file of a result, part by part. A part ends at the end of a line, so each is whole text. */
export async function* readResult(db: Queryable, jobId: string): AsyncGenerator<string> {
  for (let number = 0; ; number += 1) {
    const packed = await findResultPart(db, jobId, number);
    if (!packed) return;
    yield gunzipSync(packed).toString("utf8");
  }
}
