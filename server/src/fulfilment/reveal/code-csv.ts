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
  "unitIndex",
  "kid",
  "enc",
  "ciphertext",
] as const;

/** Our own base64url, which can begin with a minus sign. With an apostrophe in front, a sealed code would not open. */
export const CODE_EXACT_HEADS: ReadonlySet<string> = new Set(["kid", "enc", "ciphertext"]);

/** A delivered code as a line of a CSV file. */
export const codeCells = ({ sealed, ...code }: OrderCodeView): string[] => {
  const cells = { ...code, ...sealed };
  return CODE_HEADS.map((head) => String(cells[head] ?? ""));
};
