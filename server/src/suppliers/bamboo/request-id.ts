import { createHash } from "node:crypto";

/**
 * Bamboo wants a GUID. It is made from our reference alone, so that a purchase that is sent again, by any worker and at any
 * time, is the same request. Version 8 of RFC 9562 is for ids of one's own making.
 */
export function requestIdOf(reference: string): string {
  const bytes = createHash("sha256").update(`scrip purchase ${reference}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
