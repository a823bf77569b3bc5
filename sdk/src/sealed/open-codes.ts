import type { DeliveredCode, OrderCodesReply, PrivateKeys } from "../types/codes.ts";
import { getSubtle, randomBytes } from "../web-crypto.ts";
import { type Bytes, hpkeOpen, utf8, X25519_BYTES, type X25519Key, x25519KeyOf } from "./hpke.ts";
import { fromBase64url, toBase64url } from "./url-text.ts";

/** Both in base64url. Register the public key; the private key never leaves you. */
export type EncryptionKeyPair = { publicKey: string; privateKey: string; kid: string };

/** A sealed code does not open: there is no private key for it, or it was changed. */
export class SealedCodeError extends Error {
  /** The id of the public key that it was sealed to. */
  readonly kid: string;
  constructor(kid: string, message: string) {
    super(message);
    this.name = "SealedCodeError";
    this.kid = kid;
  }
}

const KID_BYTES = 16;
const PARTS = ["code", "pin", "serial", "url"] as const;

/** A new key pair for `encryptionKey.register`. */
export async function createEncryptionKeyPair(): Promise<EncryptionKeyPair> {
  const privateBytes = await randomBytes(X25519_BYTES);
  const { publicKey } = await x25519KeyOf(privateBytes);
  return {
    publicKey: toBase64url(publicKey),
    privateKey: toBase64url(privateBytes),
    kid: await kidOf(publicKey),
  };
}

/** The codes with those that are sealed opened. Others stay as they are. */
export async function openCodes(codes: OrderCodesReply, privateKeys: PrivateKeys): Promise<OrderCodesReply> {
  const { orderId, status, data } = codes;
  const keys = await readKeys(privateKeys);
  const opened: DeliveredCode[] = [];
  for (const code of data) opened.push(await openOne(orderId, code, keys));
  return { orderId, status, data: opened };
}

async function readKeys(given: PrivateKeys): Promise<Map<string, X25519Key>> {
  const list = typeof given === "string" || given instanceof Uint8Array ? [given] : given;
  const keys = new Map<string, X25519Key>();
  for (const one of list) {
    const bytes = typeof one === "string" ? fromBase64url(one) : new Uint8Array(one);
    if (bytes?.length !== X25519_BYTES) throw new RangeError("a private key must be 32 bytes, in base64url");
    const key = await x25519KeyOf(bytes);
    keys.set(await kidOf(key.publicKey), key);
  }
  return keys;
}

async function kidOf(publicKey: Bytes): Promise<string> {
  const digest = await (await getSubtle()).digest("SHA-256", publicKey);
  return toBase64url(new Uint8Array(digest, 0, KID_BYTES));
}

async function openOne(
  orderId: string,
  { sealed, unitIndex, ...code }: DeliveredCode,
  keys: ReadonlyMap<string, X25519Key>,
): Promise<DeliveredCode> {
  if (!sealed) return code;
  const { kid } = sealed;
  const key = keys.get(kid);
  if (!key) throw new SealedCodeError(kid, `Code ${code.id} is sealed to another key.`);
  const [enc, ciphertext] = [fromBase64url(sealed.enc), fromBase64url(sealed.ciphertext)];
  const info = utf8(`scrip code|${orderId}|${code.lineIndex}|${unitIndex ?? 0}`);
  const parts = await open(key, enc, ciphertext, info);
  if (!parts) throw new SealedCodeError(kid, `Code ${code.id} was changed or belongs elsewhere.`);
  const found = PARTS.flatMap((name) => (typeof parts[name] === "string" ? [[name, parts[name]]] : []));
  return { ...code, ...Object.fromEntries(found) };
}

async function open(
  key: X25519Key,
  enc: Bytes | undefined,
  ciphertext: Bytes | undefined,
  info: Bytes,
): Promise<Record<string, unknown> | undefined> {
  if (!enc || !ciphertext) return undefined;
  try {
    const plain = await hpkeOpen(key, { enc, ciphertext, info });
    return JSON.parse(new TextDecoder().decode(plain)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
