import type { OrderCodeView } from "./schemas.ts";

export const CODE_HEADS = [
  "id",
  "lineIndex",
  "productId",
  "type",
  "code",
  "pin",
  "serial",
  "url",
  "receipt",
  "expiresAt",
  "deliveredAt",
] as const;

/** A delivered code as a line of a CSV file. */
export const codeCells = (code: OrderCodeView): string[] =>
  CODE_HEADS.map((head) => String(code[head] ?? ""));
