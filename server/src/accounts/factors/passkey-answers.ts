import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { isDatabaseUnavailable } from "../../db/database-errors.ts";
import type { AccountDeps } from "../account-deps.ts";
import type { Face } from "../permissions.ts";
import { Refusal } from "../refusal.ts";
import type { PasskeyRow } from "./passkey-queries.ts";

/** What a browser sends is a few kilobytes. */
const ANSWER_MAX_CHARACTERS = 32_768;

/** Ed25519, ES256 and RS256 by their COSE numbers: what all authenticators have one of. */
export const ALGORITHMS: readonly number[] = [-8, -7, -257];

/** It takes half a second and 25 MB to load, so it is loaded when the first passkey is used. */
export const loadWebAuthn = () => import("@simplewebauthn/server");

/** The site that a passkey belongs to. A browser gives passkeys only to https, or to localhost. */
export const siteOf = (urls: AccountDeps["urls"], face: Face): { id: string; origin: string } => {
  const url = new URL(urls[face]);
  return { id: url.hostname, origin: url.origin };
};

export type VerifiedPasskey = { id: string; publicKey: Buffer; counter: bigint; transports: string[] };

/** Verifies the answer to an offer of a new passkey, up to its challenge, which `isExpected` takes. */
export async function verifyNewPasskey(
  site: { id: string; origin: string },
  answer: string,
  isExpected: (challenge: string) => Promise<boolean>,
): Promise<VerifiedPasskey> {
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const response = readAnswer<RegistrationResponseJSON>(answer);
  await refuseCertificates(response);
  const result = await verifyRegistrationResponse({
    response,
    expectedChallenge: isExpected,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: [...ALGORITHMS],
  }).catch(refuse);
  if (!result.verified) throw passkeyRefused();
  const { credential } = result.registrationInfo;
  return {
    id: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    counter: BigInt(credential.counter),
    transports: (credential.transports ?? []).slice(0, TRANSPORTS_MAX),
  };
}

const TRANSPORTS_MAX = 8;

/**
 * We ask for no attestation. A certificate that comes nevertheless would make the library fetch a revocation list from an address
 * that the certificate names, without a time limit: so it is refused before the library sees it.
 */
async function refuseCertificates(response: RegistrationResponseJSON): Promise<void> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  try {
    const bytes = Buffer.from(response.response.attestationObject, "base64url");
    const decoded = decodeAttestationObject(new Uint8Array(bytes));
    const format = decoded.get("fmt");
    if (format === "none") return;
    if (format === "packed" && decoded.get("attStmt").get("x5c") === undefined) return;
  } catch {
    // What cannot be decoded is refused as well.
  }
  throw passkeyRefused();
}

/** Verifies that the person has the passkey and is present, and returns the passkey's new counter. */
export async function verifyPasskey(
  site: { id: string; origin: string },
  answer: string,
  passkey: PasskeyRow,
  isExpected: (challenge: string) => Promise<boolean>,
): Promise<number> {
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const result = await verifyAuthenticationResponse({
    response: readAnswer<AuthenticationResponseJSON>(answer),
    expectedChallenge: isExpected,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: Number(passkey.counter),
    },
  }).catch(refuse);
  if (!result.verified) throw passkeyRefused();
  return result.authenticationInfo.newCounter;
}

/** Which passkey an answer claims to be of. */
export const passkeyIdOf = (answer: string): string => readAnswer<{ id: string }>(answer).id;

/** The library checks what is inside; here it becomes an object of the right outline. */
function readAnswer<Answer extends { id: string }>(text: string): Answer {
  try {
    const value: unknown = text.length > ANSWER_MAX_CHARACTERS ? undefined : JSON.parse(text);
    if (
      isRecord(value) &&
      typeof value.id === "string" &&
      PASSKEY_ID.test(value.id) &&
      isRecord(value.response)
    )
      return value as Answer;
  } catch {
    // Refused below, as everything that a browser would not send.
  }
  throw passkeyRefused();
}

/** Base64url of up to 1,023 bytes. */
const PASSKEY_ID = /^[A-Za-z0-9_-]{1,1364}$/;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The reason would only help someone who forges answers. Faults of the database are thrown on. */
function refuse(error: unknown): never {
  const isDatabase = error instanceof Error && "severity" in error;
  if (error instanceof Refusal || isDatabase || isDatabaseUnavailable(error)) throw error;
  throw passkeyRefused();
}

export const passkeyRefused = (): Refusal =>
  new Refusal("passkey_refused", "The passkey was not accepted. Try again, or sign in another way.");
