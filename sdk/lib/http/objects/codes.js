import { GOODS_TYPES } from "../../words.js";
import { count, object, optional, text, wordOf } from "../shapes.js";
export const deliveredCode = object({
    id: text,
    lineIndex: count,
    unitIndex: optional(count),
    productId: text,
    type: wordOf(GOODS_TYPES),
    code: optional(text),
    pin: optional(text),
    serial: optional(text),
    url: optional(text),
    receipt: optional(text),
    sealed: optional(object({ kid: text, enc: text, ciphertext: text })),
    expiresAt: optional(text),
    deliveredAt: text,
});
export const encryptionKey = object({ kid: text, publicKey: text, registeredAt: text });
