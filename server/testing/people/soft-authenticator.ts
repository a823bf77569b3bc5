import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

type Options = { challenge: string; user?: { id: string } };
type Behaviour = { origin: string; rpId: string; isVerified: boolean; counter: number };

/** A passkey in software: answers what a browser would pass on, and can be made to lie. */
export function createSoftAuthenticator(site: { origin: string; rpId: string }) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(32);
  let userId = "";
  const normal: Behaviour = { ...site, isVerified: true, counter: 0 };

  return {
    id: id.toString("base64url"),
    /** The answer to navigator.credentials.create(). */
    create(
      options: Options,
      more: Partial<Behaviour> & { attestation?: Map<string, unknown>; format?: string } = {},
    ) {
      const behaviour = { ...normal, ...more };
      userId = options.user?.id ?? "";
      const credential = Buffer.concat([Buffer.alloc(16), uint16(id.length), id, coseKey(publicKey)]);
      const authData = authenticatorData(behaviour, credential);
      const attestationObject = cbor(
        new Map<string, unknown>([
          ["fmt", more.format ?? "none"],
          ["attStmt", more.attestation ?? new Map()],
          ["authData", authData],
        ]),
      );
      return answer(id, {
        clientDataJSON: clientData("webauthn.create", options.challenge, behaviour.origin),
        attestationObject: attestationObject.toString("base64url"),
        transports: ["internal"],
      });
    },
    /** The answer to navigator.credentials.get(). */
    get(options: Options, more: Partial<Behaviour> = {}) {
      const behaviour = { ...normal, ...more };
      const authData = authenticatorData(behaviour);
      const clientDataJSON = clientData("webauthn.get", options.challenge, behaviour.origin);
      const hash = createHash("sha256").update(Buffer.from(clientDataJSON, "base64url")).digest();
      const signature = createSign("sha256").update(authData).update(hash).sign(privateKey);
      return answer(id, {
        clientDataJSON,
        authenticatorData: authData.toString("base64url"),
        signature: signature.toString("base64url"),
        userHandle: userId,
      });
    },
  };
}

const answer = (id: Buffer, response: object): string =>
  JSON.stringify({
    id: id.toString("base64url"),
    rawId: id.toString("base64url"),
    type: "public-key",
    clientExtensionResults: {},
    response,
  });

const clientData = (type: string, challenge: string, origin: string): string =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString("base64url");

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

function authenticatorData({ rpId, isVerified, counter }: Behaviour, credential?: Buffer): Buffer {
  const flags = PRESENT | (isVerified ? VERIFIED : 0) | (credential ? HAS_CREDENTIAL : 0);
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const hash = createHash("sha256").update(rpId).digest();
  return Buffer.concat([hash, Buffer.of(flags), count, credential ?? Buffer.alloc(0)]);
}

/** An ES256 key as COSE has it. */
function coseKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" }) as { x?: string; y?: string };
  return cbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]),
  );
}

const uint16 = (value: number): Buffer => Buffer.of(value >> 8, value & 0xff);

/** As much CBOR (RFC 8949) as passkeys need. */
function cbor(value: unknown): Buffer {
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  if (value instanceof Map)
    return Buffer.concat([
      head(5, value.size),
      ...[...value].flatMap(([key, member]) => [cbor(key), cbor(member)]),
    ]);
  throw new TypeError("this value is not needed here");
}

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.of((major << 5) | value);
  if (value < 256) return Buffer.of((major << 5) | 24, value);
  return Buffer.of((major << 5) | 25, value >> 8, value & 0xff);
}
