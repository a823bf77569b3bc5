import type { UnitKey } from "../../vault/code-place.ts";
import { type HpkeSealed, hpkeSeal } from "../../vault/hpke.ts";

/** The current public key of a reseller. */
export type RecipientKey = { kid: string; publicKey: Buffer };

/** How a code is stored: under the master key, or sealed to the reseller's key. Never both. */
export type StoredSeal =
  | { sealed: Buffer; kid: null; enc: null; ciphertext: null }
  | ({ sealed: null; kid: string } & HpkeSealed);

export const inVault = (sealed: Buffer): StoredSeal => ({ sealed, kid: null, enc: null, ciphertext: null });

/** Only the reseller can open this. What it is sealed for is authenticated: it opens for no other unit. */
export const sealToReseller = (
  { kid, publicKey }: RecipientKey,
  unit: UnitKey,
  plain: Uint8Array,
): StoredSeal & { sealed: null } => ({
  sealed: null,
  kid,
  ...hpkeSeal(publicKey, plain, { info: codeInfo(unit) }),
});

/** `info` of HPKE. The SDK makes the same text. */
export const codeInfo = ({ orderId, lineIndex, unitIndex }: UnitKey): Buffer =>
  Buffer.from(`scrip code|${orderId}|${lineIndex}|${unitIndex}`);
