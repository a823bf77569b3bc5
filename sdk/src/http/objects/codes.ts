import type { DeliveredCode, EncryptionKey, SealedParts } from "../../types/codes.ts";
import { GOODS_TYPES } from "../../words.ts";
import { count, object, optional, text, wordOf } from "../shapes.ts";

export const deliveredCode = object<DeliveredCode>({
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
  sealed: optional(object<SealedParts>({ kid: text, enc: text, ciphertext: text })),
  expiresAt: optional(text),
  deliveredAt: text,
});

export const encryptionKey = object<EncryptionKey>({ kid: text, publicKey: text, registeredAt: text });
