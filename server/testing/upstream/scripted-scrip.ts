import type { Fetch } from "@scrip/sdk";
import { secret } from "../../src/lib/secret.ts";
import { createScripSupplier, SUPPLIER_TIMEOUT_MS } from "../../src/suppliers/scrip/scrip-supplier.ts";
import type { LookUpOutcome } from "../../src/suppliers/supplier.ts";

/** What a buying Scrip sends to another: place, read by id, find by key, read the codes. */
export type ScriptedVerb = "place" | "get" | "list" | "codes";

export type ScriptedAnswer = () => Response | Promise<Response>;

export type ScriptedRequest = {
  verb: ScriptedVerb;
  url: URL;
  headers: Headers;
  body: unknown;
};

export type ScriptedAnswers = Partial<Record<ScriptedVerb, ScriptedAnswer>>;

export const SCRIPTED_KEY = `sc_live_${"k".repeat(38)}`;
/** The timeout of a supplier that is meant to time out. */
export const SHORT_MS = 200;

/** The timeout is short only where it is meant to expire, so that a busy machine does not matter elsewhere. */
export function supplierOf(answers: ScriptedAnswers, outcome = "") {
  const { fetch, heard } = scriptedScrip(answers);
  const timeoutMs = outcome === "unknown: timeout" ? SHORT_MS : SUPPLIER_TIMEOUT_MS;
  const config = {
    baseUrl: "https://upstream.example/api",
    apiKey: secret(SCRIPTED_KEY),
    timeoutMs,
    fetch,
  };
  return { supplier: createScripSupplier(config), heard };
}

/** The outcome in a word or two, as a worker decides by it. Goods are shown. */
export function told(outcome: LookUpOutcome): string {
  switch (outcome.kind) {
    case "delivered":
      return `delivered ${outcome.upstreamId} ${JSON.stringify(outcome.goods.reveal())}`;
    case "accepted":
      return `accepted ${outcome.upstreamId}`;
    case "refused":
      return `refused ${outcome.failureCode}${outcome.supplierFault ? ", its fault" : ""}`;
    case "unknown":
      return `unknown: ${outcome.reason}`;
    case "not_found":
      return "not found";
  }
}

/** A fetch with a scripted response for each request. A request without one fails the test. */
export function scriptedScrip(answers: ScriptedAnswers): {
  fetch: Fetch;
  heard: ScriptedRequest[];
} {
  const heard: ScriptedRequest[] = [];
  return {
    heard,
    fetch: async (address, init) => {
      const url = new URL(address);
      const verb = toVerb(url, init.method ?? "GET");
      const body = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
      heard.push({ verb, url, headers: new Headers(init.headers), body });
      const answer = answers[verb];
      if (!answer) throw new Error(`unexpected request: ${verb}`);
      return answer();
    },
  };
}

function toVerb({ pathname }: URL, method: string): ScriptedVerb {
  if (method === "POST") return "place";
  if (pathname.endsWith("/codes")) return "codes";
  return pathname.endsWith("/orders") ? "list" : "get";
}

const JSON_TYPE = "application/json; charset=utf-8";
const PROBLEM_TYPE = "application/problem+json; charset=utf-8";

export const jsonAnswer =
  (body: unknown, status = 200, type = JSON_TYPE): ScriptedAnswer =>
  () =>
    new Response(typeof body === "string" ? body : JSON.stringify(body), {
      status,
      headers: { "content-type": type },
    });

export const problemAnswer = (status: number, code: string, more: object = {}): ScriptedAnswer =>
  jsonAnswer(
    { type: "x", title: "x", status, code, detail: "UNTOLD", request_id: "req_1", ...more },
    status,
    PROBLEM_TYPE,
  );

const usd = (amount: number) => ({ amount, currency: "USD" });

export const placedAnswer = (status: string, changes: object = {}): ScriptedAnswer =>
  jsonAnswer({ order: { id: "ord_1", status, total: usd(250), ...changes } }, 202);

/** The order of one card, placed under "ours-1". */
export function scriptedOrder(status: string, changes: object = {}, lineChanges: object = {}) {
  const isRefunded = status === "refunded";
  return {
    id: "ord_1",
    status,
    total: usd(250),
    createdAt: "2030-01-01T00:00:00.000Z",
    updatedAt: "2030-01-01T00:00:01.000Z",
    reference: "ours-1",
    refundedTotal: usd(isRefunded ? 250 : 0),
    lines: [
      {
        productId: "card",
        name: "Card",
        unitPrice: usd(250),
        quantity: 1,
        lineTotal: usd(250),
        fulfilledQuantity: status === "completed" ? 1 : 0,
        refundedQuantity: isRefunded ? 1 : 0,
        ...lineChanges,
      },
    ],
    ...changes,
  };
}

export const scriptedCode = (changes: object = {}): object => ({
  id: "cod_1",
  lineIndex: 0,
  productId: "card",
  type: "code",
  code: "ABCD-EFGH",
  deliveredAt: "2030-01-01T00:00:01.000Z",
  ...changes,
});

export const codesAnswer = (entries: readonly object[], changes: object = {}): ScriptedAnswer =>
  jsonAnswer({ orderId: "ord_1", status: "completed", data: entries, ...changes });

export const pageAnswer = (orders: readonly object[], hasMore = false): ScriptedAnswer =>
  jsonAnswer({ data: orders, hasMore, nextCursor: hasMore ? "next" : "" });

export const noAnswer: ScriptedAnswer = () => new Promise(() => {});
export const noConnection: ScriptedAnswer = () => Promise.reject(new TypeError("fetch failed"));
export const proxyPage = (status: number): ScriptedAnswer =>
  jsonAnswer("<html>UNTOLD</html>", status, "text/html");
export const foundAnswer = (status: string, changes?: object, lineChanges?: object): ScriptedAnswer =>
  jsonAnswer({ order: scriptedOrder(status, changes, lineChanges) });
