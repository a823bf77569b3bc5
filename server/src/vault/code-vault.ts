import type { MasterKeys } from "./seal.ts";

/** The master keys as they are now: a key that was added while the process runs is found without a restart. */
export type Keyring = { masterKeys(): MasterKeys };

/**
 * Seals codes: a data key for each, wrapped under a key that is derived from the master key for codes alone. The place
 * (code-place.ts) is authenticated and not stored, so that a sealed code opens nowhere else.
 */
export type CodeVault = {
  seal(place: string, plain: Uint8Array): Buffer;
  open(place: string, sealed: Uint8Array): Buffer;
  /** The same code with its data key wrapped under the newest master key; undefined when it is so already. */
  rewrap(place: string, sealed: Uint8Array): Buffer | undefined;
};
