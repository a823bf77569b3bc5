import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { type Json, JsonError, parseJsonNumbersAsText } from "../../lib/strict-json.ts";
import { AddressRefused, createCheckedAgent } from "../../webhooks/addresses/checked-agent.ts";
import type { WebhookLookup } from "../../webhooks/addresses/resolve-webhook-host.ts";
import { isNamedOutright } from "./supplier-address.ts";

/** Why there is no answer. Whatever was sent may have been heard. */
export type LostReason = "timeout" | "connection_failed" | "address_refused" | "too_long" | "nonsense";

export type HttpAnswer =
  | {
      kind: "answer";
      status: number;
      /** Numbers are text. Undefined when the body is not JSON; `isEmpty` when there is none. */
      body: Json | undefined;
      isEmpty: boolean;
      headers: Readonly<Record<string, string | undefined>>;
    }
  | { kind: "lost"; reason: LostReason };

export type HttpBytes =
  | { kind: "answer"; status: number; bytes: Buffer; headers: Readonly<Record<string, string | undefined>> }
  | { kind: "lost"; reason: LostReason };

export type HttpCall = {
  method: "GET" | "POST";
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  body?: string;
  signal: AbortSignal;
  maxBytes?: number;
  /** The addresses of a name. The system's name servers, unless told otherwise. */
  lookup?: WebhookLookup;
};

/** We buy single units, so a longer answer cannot be right. */
const ANSWER_MAX_BYTES = 256 * 1024;
const gunzipBytes = promisify(gunzip);

/** One call whose answer is JSON, with the limits of `callForBytes`. */
export async function callSupplier(call: HttpCall): Promise<HttpAnswer> {
  const answer = await callForBytes(call);
  if (answer.kind === "lost") return answer;
  const { status, bytes, headers } = answer;
  return { kind: "answer", status, body: parse(bytes), isEmpty: bytes.length === 0, headers };
}

/**
 * One call, on its own connection: a purchase must not go out on one that the supplier is about to close. It follows no
 * redirect, reads no more than `maxBytes`, compressed or not, and ends with the signal. It throws nothing.
 */
export async function callForBytes(call: HttpCall): Promise<HttpBytes> {
  const agent = agentFor(new URL(call.url), call.lookup);
  try {
    return await exchange(call, agent);
  } catch (error) {
    return { kind: "lost", reason: reasonOf(error, call.signal) };
  } finally {
    agent.destroy();
  }
}

/** A public name must resolve to public addresses. The operator can name a private address, and then means it. */
function agentFor(url: URL, lookup: WebhookLookup | undefined): HttpAgent {
  const isSecure = url.protocol === "https:";
  if (isNamedOutright(url)) return isSecure ? new HttpsAgent() : new HttpAgent();
  return createCheckedAgent({ allowNetworks: [], lookup });
}

async function exchange(
  { method, url, headers = {}, body, signal, maxBytes = ANSWER_MAX_BYTES }: HttpCall,
  agent: HttpAgent,
): Promise<HttpBytes> {
  signal.throwIfAborted();
  const isSecure = url.startsWith("https:");
  const answered = Promise.withResolvers<IncomingMessage>();
  const sent = (isSecure ? requestHttps : requestHttp)(url, {
    method,
    agent,
    signal,
    headers: {
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "scrip",
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      ...headers,
    },
  });
  sent.on("response", answered.resolve);
  sent.on("error", answered.reject);
  sent.on("close", () => answered.reject(new Error("closed without an answer")));
  sent.end(body);
  const response = await answered.promise;
  const read = await readBytes(response, maxBytes);
  const bytes = await inflate(read, response.headers["content-encoding"], maxBytes);
  return { kind: "answer", status: response.statusCode ?? 0, bytes, headers: headersOf(response) };
}

class TooLong extends Error {}

async function readBytes(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) {
      response.destroy();
      throw new TooLong();
    }
    chunks.push(chunk);
  }
  if (!response.complete) throw new Error("cut off");
  return Buffer.concat(chunks);
}

/** Nothing compressed is asked for, but some servers compress anyway. */
async function inflate(bytes: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  if (encoding === undefined || encoding === "identity" || bytes.length === 0) return bytes;
  if (encoding !== "gzip") throw new TooLong();
  return gunzipBytes(bytes, { maxOutputLength: maxBytes }).catch(() => {
    throw new TooLong();
  });
}

const headersOf = ({ headers }: IncomingMessage): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );

function parse(bytes: Buffer): Json | undefined {
  try {
    return parseJsonNumbersAsText(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof JsonError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function reasonOf(error: unknown, signal: AbortSignal): LostReason {
  if (signal.aborted) return "timeout";
  if (error instanceof TooLong) return "too_long";
  return error instanceof AddressRefused ? "address_refused" : "connection_failed";
}
