import { createHmac, type KeyObject } from "node:crypto";

/** What a code is known by without opening any. Keyed: whoever copies the table cannot try codes against it. */
export const createCodeDigest =
  (key: KeyObject): ((text: string) => Buffer) =>
  (text) =>
    createHmac("sha256", key).update(text).digest();
