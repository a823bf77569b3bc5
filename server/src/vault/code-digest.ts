import { createHmac, type KeyObject } from "node:crypto";

/** Identifies a code without opening any. It is keyed, so a copy of the table cannot be used to guess codes. */
export const createCodeDigest =
  (key: KeyObject): ((text: string) => Buffer) =>
  (text) =>
    createHmac("sha256", key).update(text).digest();
