import assert from "node:assert/strict";
import type { RequestListener, ServerResponse } from "node:http";
import { test } from "node:test";
import { inspect } from "node:util";
import { createClient } from "../client.ts";
import type { ScripError } from "../errors.ts";
import { API_KEY, answeredBy, json, order, startAnswering } from "../testing/answering-server.ts";

const SHORT_MS = 150;
/** Far more than any of these takes. */
const LONG_MS = 60_000;

const failsWith =
  (code: string, status = 0) =>
  (error: unknown) => {
    assert.deepEqual(
      [(error as ScripError).code, (error as ScripError).status],
      [code, status],
      inspect(error),
    );
    assert.equal(inspect(error).includes(API_KEY), false);
    return true;
  };

function begin(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"order":{"id":"ord_1",');
}

test("a server that is not listening is a failed connection", async () => {
  const { url } = await answeredBy(json({}), async (server) => server);
  const { orders } = createClient({ baseUrl: url, apiKey: API_KEY, retries: 0 });
  await assert.rejects(orders.get("ord_1"), failsWith("connection_failed"));
  await assert.rejects(orders.get("ord_1"), /ECONNREFUSED/);
});

test("a connection that is cut before or during the response is a failed connection", async () => {
  const cuts: RequestListener[] = [
    (_request, response) => void response.destroy(),
    (_request, response) => {
      begin(response);
      setImmediate(() => response.destroy());
    },
    (_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
      response.write("{");
      setImmediate(() => response.destroy());
    },
  ];
  for (const cut of cuts) {
    await answeredBy(cut, (server) =>
      assert.rejects(server.client().orders.get("ord_1"), failsWith("connection_failed")),
    );
  }
});

test("a server that never responds, or never ends its response, times out", async () => {
  const stalls: RequestListener[] = [() => {}, (_request, response) => begin(response)];
  for (const stall of stalls) {
    await answeredBy(stall, (server) =>
      assert.rejects(server.client({ timeoutMs: SHORT_MS }).orders.get("ord_1"), failsWith("timeout")),
    );
  }
});

test("a slow endless body times out too: the limit is not between bytes", async () => {
  const givenUp = Promise.withResolvers<void>();
  const drip: RequestListener = (_request, response) => {
    begin(response);
    const timer = setInterval(() => response.write(" "), SHORT_MS / 10);
    response.on("close", () => {
      clearInterval(timer);
      givenUp.resolve();
    });
  };
  await answeredBy(drip, async (server) => {
    const { orders } = server.client({ timeoutMs: SHORT_MS });
    await assert.rejects(orders.get("ord_1"), failsWith("timeout"));
    // The connection is closed too.
    await givenUp.promise;
  });
});

test("the timeout works even with a fetch that ignores its signal", async () => {
  const deaf = () => new Promise<Response>(() => {});
  const stuck = async () =>
    new Response(new ReadableStream(), { headers: { "content-type": "application/json" } });
  for (const fetch of [deaf, stuck]) {
    const client = createClient({
      baseUrl: "http://api.example",
      apiKey: API_KEY,
      timeoutMs: SHORT_MS,
      retries: 0,
      fetch,
    });
    await assert.rejects(client.orders.get("ord_1"), failsWith("timeout"));
  }
});

test("a caller can abort before and during a call", async () => {
  await answeredBy(
    () => {},
    async (server) => {
      const { orders } = server.client({ timeoutMs: LONG_MS });
      const early = orders.get("ord_1", { signal: AbortSignal.abort() });
      await assert.rejects(early, failsWith("aborted"));
      assert.deepEqual(server.heard, []);
      const calls = [
        (signal: AbortSignal) => orders.get("ord_1", { signal }),
        (signal: AbortSignal) => orders.place({ lines: [] }, { idempotencyKey: "k", signal }),
      ];
      for (const call of calls) {
        const controller = new AbortController();
        const late = call(controller.signal);
        setImmediate(() => controller.abort());
        await assert.rejects(late, failsWith("aborted"));
      }
    },
  );
});

test("an aborted call is not sent, even by a fetch that ignores its signal", async () => {
  let sent = 0;
  const fetch = async () => {
    sent += 1;
    return Response.json({});
  };
  const { orders } = createClient({ baseUrl: "http://api.example", apiKey: API_KEY, fetch });
  await assert.rejects(orders.get("ord_1", { signal: AbortSignal.abort() }), failsWith("aborted"));
  assert.equal(sent, 0);
});

test("a response larger than the limit is aborted while it arrives, endless or not", async () => {
  const givenUp = Promise.withResolvers<void>();
  const endless: RequestListener = (_request, response) => {
    begin(response);
    response.on("close", givenUp.resolve);
    const pour = () => {
      while (!response.destroyed && response.write(" ".repeat(64 * 1024)));
    };
    response.on("drain", pour);
    pour();
  };
  const limits = { maxResponseBytes: 1024 * 1024, timeoutMs: LONG_MS };
  await answeredBy(endless, async (server) => {
    await assert.rejects(server.client(limits).orders.get("ord_1"), failsWith("invalid_response", 200));
    await givenUp.promise;
  });
  const text = JSON.stringify({ order: order() });
  for (const [slack, fits] of [
    [0, true],
    [-1, false],
  ] as const) {
    await answeredBy(json(text), async (server) => {
      const { orders } = server.client({ maxResponseBytes: text.length + slack });
      if (fits) await orders.get("ord_1");
      else await assert.rejects(orders.get("ord_1"), failsWith("invalid_response", 200));
    });
  }
});

test("a response in many small pieces is assembled across the bounds of the buffer", async () => {
  const text = JSON.stringify({ order: order({ reference: "ü".repeat(40_000) }) });
  const bytes = Buffer.from(text);
  const piecemeal: RequestListener = (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    for (let at = 0; at < bytes.length; at += 777) response.write(bytes.subarray(at, at + 777));
    response.end();
  };
  const read = await answeredBy(piecemeal, (server) => server.client().orders.get("ord_1"));
  assert.deepEqual(read, order({ reference: "ü".repeat(40_000) }));
});

test("a redirect is not followed, so that the key goes nowhere else", async () => {
  const honeypot = await startAnswering(json({ order: order() }));
  for (const status of [301, 302, 303, 307, 308]) {
    const redirect = json("", { status, headers: { location: `${honeypot.url}/v1/orders/ord_1` } });
    await answeredBy(redirect, async (server) => {
      const { orders } = server.client();
      await assert.rejects(orders.get("ord_1"), failsWith("invalid_response", status));
      const place = orders.place({ lines: [] }, { idempotencyKey: "k" });
      await assert.rejects(place, failsWith("invalid_response", status));
    });
  }
  await honeypot.close();
  assert.deepEqual(honeypot.heard, []);
});

test("an opaque redirect, as in browsers, is an invalid response too", async () => {
  const fetch = async () => Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" });
  const client = createClient({ baseUrl: "http://api.example", apiKey: API_KEY, fetch });
  await assert.rejects(client.orders.get("ord_1"), failsWith("invalid_response"));
  await assert.rejects(client.orders.get("ord_1"), /redirect/);
});

test("a success that is not JSON is an invalid response", async () => {
  const good = JSON.stringify({ order: order() });
  const answers = [
    json(good, { type: "text/html" }),
    json(good.slice(0, -1)),
    json(""),
    json("<html>Welcome to our network</html>"),
    json("", { status: 204 }),
    (_request: unknown, response: ServerResponse) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(Buffer.from(good.replace("Card", "\xff"), "latin1"));
    },
  ];
  for (const answer of answers) {
    await answeredBy(answer, (server) =>
      assert.rejects(server.client().orders.get("ord_1"), { code: "invalid_response" }),
    );
  }
});
