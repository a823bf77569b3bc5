import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { call, closeCalls } from "./call.ts";

const TOO_SLOW = { code: "invalid_request", detail: "The request did not arrive in time." };
const WRONG = { code: "invalid_request", detail: "Another." };
/** Responds with 400 and what it was sent. */
const server = createServer(async (request, reply) => {
  const chunks = await request.toArray();
  reply.writeHead(400).end(Buffer.concat(chunks));
});

before(() => once(server.listen(0, "127.0.0.1"), "listening"));
after(() => {
  closeCalls();
  server.close();
});

test("a request that was too slow to be read counts as one without a response; other refusals are told", async () => {
  const { port } = server.address() as AddressInfo;
  await assert.rejects(call(port, "key", "POST", "/", TOO_SLOW), /did not arrive in time/);
  const { status, body } = await call(port, "key", "POST", "/", WRONG);
  assert.deepEqual([status, JSON.parse(body)], [400, WRONG]);
});
