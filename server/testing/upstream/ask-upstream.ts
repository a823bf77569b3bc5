import { readFileSync } from "node:fs";
import { request } from "node:http";
import type { LightMyRequestResponse } from "fastify";
import type { OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import { createReplyChecker } from "../app/check-reply.ts";
import { type FakeUpstream, type FakeUpstreamOptions, startFakeUpstream } from "./fake-upstream.ts";

/** Long enough for a normal response on a busy machine. */
const ANSWER_MS = 20_000;

const checkReply = createReplyChecker(
  JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")) as OpenApiDocument,
);

export type Target = { baseUrl: string; apiKey: string };
export type Seen = {
  /** 0 if there was no response. Then `text` says why. */
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: Body;
};

/** The expected shape. A test that expects something else says so. */
type Body = {
  code?: string;
  orderStatus?: string;
  orderId?: string;
  order?: Order;
  data?: (Order & { code?: string; url?: string; receipt?: string })[];
};

type Order = {
  id: string;
  status: string;
  reference?: string;
  total: { amount: number };
  refundedTotal: { amount: number };
  lines: { failureCode?: string }[];
};

/** An upstream for one test. */
export async function openUpstream(
  t: { after(end: () => Promise<void>): void },
  options: Partial<FakeUpstreamOptions>,
): Promise<FakeUpstream> {
  const upstream = await startFakeUpstream({ seed: 1, ...options });
  t.after(() => upstream.close());
  return upstream;
}

export function place(
  target: Target,
  reference: string,
  { account = "acct-1", sku = "sku", signal }: { account?: string; sku?: string; signal?: AbortSignal } = {},
): Promise<Seen> {
  const body = JSON.stringify({
    lines: [{ productId: sku, quantity: 1, inputFields: { account } }],
    reference,
  });
  return ask(target, "POST", "/v1/orders", { body, headers: { "idempotency-key": reference }, signal });
}

export const get = (target: Target, path: string): Promise<Seen> => ask(target, "GET", path, {});

export const lookUp = (target: Target, reference: string): Promise<Seen> =>
  get(target, `/v1/orders?idempotencyKey=${reference}`);

/** In a few words: how it was lost, or its status and its code or order status. */
export function summary({ status, text, json }: Seen): string {
  if (status === 0) return text;
  if (!isJson(text)) return `${status} not JSON`;
  return `${status} ${json === null ? "null" : (json.code ?? json.order?.status)}`;
}

/** One plain request on its own connection. A complete error must match the API reference. */
export async function ask(
  { baseUrl, apiKey }: Target,
  method: string,
  path: string,
  options: Pick<Sent, "body" | "signal"> & { headers?: Record<string, string> },
): Promise<Seen> {
  const seen = await exchange(`${baseUrl}${path}`, method, {
    ...options,
    headers: {
      ...(apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` }),
      ...(options.body === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    },
  });
  if (seen.status >= 400) checkSeen(method, path, seen);
  return seen;
}

/** Fails if a response does not match the API reference. */
export const checkSeen = (method: string, path: string, { status, headers, text, json }: Seen): void =>
  checkReply(method, path, {
    statusCode: status,
    headers,
    body: text,
    json: () => json,
  } as LightMyRequestResponse);

type Sent = { body?: string; headers: Record<string, string>; signal?: AbortSignal | undefined };

function exchange(url: string, method: string, { body, headers, signal }: Sent): Promise<Seen> {
  const patience = AbortSignal.any([AbortSignal.timeout(ANSWER_MS), ...(signal ? [signal] : [])]);
  return new Promise((resolve) => {
    const lose = (): void =>
      resolve({ status: 0, headers: {}, text: patience.aborted ? "silence" : "lost", json: {} });
    const sent = request(url, { method, headers, agent: false, signal: patience }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", lose);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parse(text) }),
      );
    });
    sent.on("error", lose);
    sent.end(body);
  });
}

function parse(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
