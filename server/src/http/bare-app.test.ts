import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { exchange } from "../../testing/fuzz/raw-http.ts";
import { bareApp } from "./bare-app.ts";
import { healthRoutes } from "./health.ts";

test("every response on the operator ports has nosniff, including errors and invalid HTTP", async () => {
  const app = bareApp((bare) => healthRoutes(bare, async () => true));
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const requests = { "GET /healthz": 200, "GET /nothing": 404, junk: 400 };
  for (const [line, status] of Object.entries(requests)) {
    const bytes = Buffer.from(`${line} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const { replies } = await exchange(port, bytes, { methods: ["GET"] });
    assert.deepEqual(
      [replies[0]?.status, replies[0]?.headers["x-content-type-options"]],
      [status, "nosniff"],
    );
  }
  await app.close();
});
