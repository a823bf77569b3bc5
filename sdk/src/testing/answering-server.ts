import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Client, createClient } from "../client.ts";
import type { ClientOptions } from "../http/connection.ts";

export type HeardRequest = { method: string; url: string; headers: IncomingMessage["headers"]; body: string };

export type AnsweringServer = {
  url: string;
  heard: HeardRequest[];
  client(options?: Partial<ClientOptions>): Client;
  close(): Promise<void>;
};

export const API_KEY = "sc_live_0123456789abcdefghijklmnopqrstuvABCDEF";

/** Answers every request in the same way. The client tries once, unless a test asks for more. */
export async function startAnswering(answer: RequestListener): Promise<AnsweringServer> {
  const heard: HeardRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    heard.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A test that fails before it closes the server must not hang.
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    heard,
    client: (options) => createClient({ baseUrl: url, apiKey: API_KEY, retries: 0, ...options }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The same server, for as long as it is used. */
export async function answeredBy<T>(
  answer: RequestListener,
  use: (server: AnsweringServer) => Promise<T>,
): Promise<T> {
  const server = await startAnswering(answer);
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

export type Reply = { status?: number; type?: string; headers?: Record<string, string> };

export const json =
  (body: unknown, { status = 200, type = "application/json; charset=utf-8", headers = {} }: Reply = {}) =>
  (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { "content-type": type, "x-request-id": "req_1", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

export const problem = (status: number, code: string, more: object = {}, headers = {}) =>
  json(
    {
      type: `https://api.example/errors/${code}`,
      title: "A title",
      status,
      code,
      detail: "What happened.",
      request_id: "req_1",
      ...more,
    },
    { status, type: "application/problem+json; charset=utf-8", headers },
  );

/** The first request gets the first answer, and so on; the last answer is for all that follow. */
export function inTurn(...answers: readonly RequestListener[]): RequestListener {
  let asked = 0;
  return (request, response) => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    answer?.(request, response);
  };
}

/** The connection ends without an answer. */
export const cut: RequestListener = (_request, response) => void response.destroy();

/** What a proxy says when it has no answer from behind it. */
export const proxyPage = (status: number): RequestListener =>
  json("<html>Sorry</html>", { status, type: "text/html" });

const money = (amount: number) => ({ amount, currency: "USD" });

export const order = (changes: object = {}) => ({
  id: "ord_1",
  status: "completed",
  total: money(250),
  createdAt: "2030-01-01T00:00:00.000Z",
  updatedAt: "2030-01-01T00:00:01.000Z",
  reference: "ours-1",
  refundedTotal: money(0),
  lines: [
    {
      productId: "card",
      name: "Card",
      unitPrice: money(250),
      quantity: 1,
      lineTotal: money(250),
      fulfilledQuantity: 1,
      refundedQuantity: 0,
    },
  ],
  ...changes,
});

export const codes = (...entries: object[]) => ({
  orderId: "ord_1",
  status: "completed",
  data: entries.map((entry) => ({
    id: "cod_1",
    lineIndex: 0,
    productId: "card",
    type: "code",
    deliveredAt: "2030-01-01T00:00:01.000Z",
    ...entry,
  })),
});
