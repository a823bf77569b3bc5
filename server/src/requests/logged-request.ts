import type { Tenant } from "../http/caller.ts";
import type { Actor } from "../lib/actor.ts";

/** One answered request, as it is kept. */
export type LoggedRequest = {
  id: string;
  resellerId: string | null;
  environment: Tenant["environment"] | null;
  actor: Actor | null;
  keyHint: string | null;
  /** Finds the reseller of a key that was revoked or has expired. */
  keyDigest: Buffer | null;
  method: string;
  path: string;
  status: number;
  errorCode: string | null;
  errorBody: string | null;
  durationMs: number;
  address: string;
};
