import type { OrderStatus } from "./orders.ts";

/** 32 bytes, or the same in base64url. Several for codes that were sealed before and after a change of the key. */
export type PrivateKeys = string | Uint8Array | readonly (string | Uint8Array)[];

/** The codes as the API returns them. */
export type OrderCodesReply = { orderId: string; status: OrderStatus; data: DeliveredCode[] };

export type OrderCodes = OrderCodesReply & {
  /**
   * The codes with those that are sealed opened. Pass the private key of the registered encryption key, or several if it has
   * changed. Throws a `SealedCodeError` for a code that does not open.
   */
  open(privateKeys: PrivateKeys): Promise<OrderCodesReply>;
};

/** A code that only your private key opens: `open` of the codes does it. */
export type SealedParts = { kid: string; enc: string; ciphertext: string };

/** The public key that codes are sealed to. `kid` names it in each sealed code. */
export type EncryptionKey = { kid: string; publicKey: string; registeredAt: string };

/** What one unit delivered. `type` is `code`, `url` or `topup`, and says which other member is present. */
export type DeliveredCode = {
  id: string;
  lineIndex: number;
  /** With `sealed`. */
  unitIndex?: number;
  productId: string;
  type: string;
  code?: string;
  pin?: string;
  serial?: string;
  url?: string;
  receipt?: string;
  /** Instead of `code`, `pin`, `serial` and `url`, if an encryption key was registered when it was delivered. */
  sealed?: SealedParts;
  expiresAt?: string;
  deliveredAt: string;
};
