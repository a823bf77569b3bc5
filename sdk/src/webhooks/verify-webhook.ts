import type { Money } from "../types/common.ts";
import { computeSignatures, type RawBody, toBytes, toSecrets } from "./sign-webhook.ts";

/** An order's codes are ready to fetch, or it was refunded to the wallet. */
export type OrderEvent = {
  id: string;
  type: "order.fulfilled" | "order.refunded";
  created_at: string;
  /** `reference` is yours, if the order has one. A server of before this release sends neither it nor `environment`. */
  data: { order_id: string; status: string; reference?: string; environment?: string };
};

/** A deposit arrived and was credited to the wallet. */
export type DepositEvent = {
  id: string;
  type: "deposit.credited";
  created_at: string;
  data: { deposit_id: string; amount: Money };
};

/** What `webhooks.test` sends. */
export type TestEvent = {
  id: string;
  type: "webhook.test";
  created_at: string;
  data: { webhook_id: string };
};

/** The balance fell below the threshold that you set. Amounts are in minor units. */
export type WalletEvent = {
  id: string;
  type: "wallet.low";
  created_at: string;
  data: { balance: Money; threshold: Money };
};

/** An endpoint was disabled because every delivery failed. */
export type EndpointEvent = {
  id: string;
  type: "endpoint.disabled";
  created_at: string;
  data: { webhook_id: string; failing_since: string };
};

/** An API key was created, rolled or revoked. */
export type KeyEvent = {
  id: string;
  type: "key.created" | "key.revoked";
  created_at: string;
  data: { key_id: string; key_hint: string; replaces_key_id?: string };
};

/** Your catalog has changed: ask for the changes. Sent only to endpoints that name it. */
export type CatalogEvent = {
  id: string;
  type: "catalog.changed";
  created_at: string;
  data: { noticed_at: string };
};

/** Later versions of the API can send more types. Respond with 2xx to unknown types as well. */
export type WebhookEvent =
  | OrderEvent
  | DepositEvent
  | TestEvent
  | WalletEvent
  | EndpointEvent
  | KeyEvent
  | CatalogEvent;

export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyWebhookOptions = {
  /** How far the signature's time can be from now, in the past or in the future. */
  toleranceSeconds?: number;
  /** Milliseconds since 1970. */
  now?: () => number;
};

export type WebhookVerificationReason =
  | "missing_header"
  | "malformed_header"
  | "timestamp_outside_tolerance"
  | "no_matching_signature"
  | "malformed_body";

/** Why a delivery cannot be trusted. The message quotes nothing of the delivery and never a secret. */
export class WebhookVerificationError extends Error {
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message);
    this.name = "WebhookVerificationError";
    this.reason = reason;
  }
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const HEADER = "service-signature";
const TIME = /^\d{1,15}$/;
const SIGNATURE = /^[0-9a-f]{64}$/i;
/** Members of `data` by event type, as in the types above. All are text but for amounts of money. */
const DATA_MEMBERS: Readonly<Record<WebhookEvent["type"], readonly string[]>> = {
  "order.fulfilled": ["order_id", "status"],
  "order.refunded": ["order_id", "status"],
  "deposit.credited": ["deposit_id"],
  "webhook.test": ["webhook_id"],
  "wallet.low": ["balance", "threshold"],
  "endpoint.disabled": ["webhook_id", "failing_since"],
  "key.created": ["key_id", "key_hint"],
  "key.revoked": ["key_id", "key_hint"],
  "catalog.changed": ["noticed_at"],
};

const MONEY_MEMBERS: readonly string[] = ["balance", "threshold"];

/**
 * Verifies the signature of a delivery and returns its event (SPEC.md, Events). Pass the raw body. During a rotation pass the
 * old secret and the new one.
 */
export async function verifyWebhook(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = () => Date.now() }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const secrets = toSecrets(secret);
  if (!(toleranceSeconds >= 0)) throw new RangeError("toleranceSeconds must be 0 or more");
  const { time, signatures } = parseHeader(findHeader(headers));
  if (!(Math.abs(now() - Number(time) * 1000) <= toleranceSeconds * 1000)) {
    throw new WebhookVerificationError(
      "timestamp_outside_tolerance",
      `The delivery was signed more than ${toleranceSeconds} seconds from now.`,
    );
  }
  const body = toBytes(rawBody);
  const expected = await computeSignatures(secrets, time, body);
  if (!anyMatches(signatures, expected)) {
    throw new WebhookVerificationError(
      "no_matching_signature",
      "No signature matches the body. Check that the secret is right and that the body is the raw bytes that were sent.",
    );
  }
  return parseEvent(body);
}

function findHeader(headers: WebhookHeaders): string {
  const { get } = headers;
  const values =
    typeof get === "function"
      ? [get.call(headers, HEADER)]
      : Object.entries(headers)
          .filter(([name]) => name.toLowerCase() === HEADER)
          .flatMap(([, value]) => value as string | readonly string[] | undefined);
  const given = values.filter((value) => typeof value === "string");
  if (given.length > 0) return given.join(",");
  throw new WebhookVerificationError("missing_header", "The delivery has no Service-Signature header.");
}

/** `t=<unix seconds>,v1=<hex>`, with one v1 per secret. Unknown schemes are ignored. */
function parseHeader(header: string): { time: string; signatures: Uint8Array[] } {
  const parts = header.split(",").map((part) => part.trim());
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const [time = "", ...moreTimes] = valuesOf("t");
  const signatures = valuesOf("v1").filter((text) => SIGNATURE.test(text));
  if (!TIME.test(time) || moreTimes.length > 0 || signatures.length === 0) {
    throw new WebhookVerificationError(
      "malformed_header",
      "The Service-Signature header must have the form t=<seconds>,v1=<hex>.",
    );
  }
  return { time, signatures: signatures.map(fromHex) };
}

/**
 * Each pair is compared in full, byte by byte without a branch, so that the time does not reveal how much of a forgery was
 * right. `subtle.verify` would also work, but it hashes the whole body again for each v1 that a stranger sends. This hashes it
 * once per secret.
 */
function anyMatches(signatures: readonly Uint8Array[], expected: readonly Uint8Array[]): boolean {
  let matches = 0;
  for (const signature of signatures) {
    for (const right of expected) {
      let difference = 0;
      for (let index = 0; index < right.length; index += 1) {
        difference |= (right[index] ?? 0) ^ (signature[index] ?? 0);
      }
      matches |= Number(difference === 0);
    }
  }
  return matches === 1;
}

const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );

function parseEvent(body: Uint8Array): WebhookEvent {
  const event = parseJson(body);
  const isEvent =
    hasMembers(event, ["id", "type", "created_at"]) && hasMembers(event.data, membersOf(event.type));
  if (isEvent) return event as WebhookEvent;
  throw new WebhookVerificationError("malformed_body", "The body has a valid signature but is not an event.");
}

/** The error of JSON.parse quotes the text, so it is not kept. */
function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

const membersOf = (type: unknown): readonly string[] =>
  Object.entries(DATA_MEMBERS).find(([known]) => known === type)?.[1] ?? [];

function hasMembers(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  return isObject(value) && names.every((name) => isMember(name, value[name]));
}

function isMember(name: string, value: unknown): boolean {
  if (!MONEY_MEMBERS.includes(name)) return typeof value === "string";
  return isObject(value) && Number.isSafeInteger(value.amount) && typeof value.currency === "string";
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
