// An HTTPS webhook receiver that responds after 50 ms, in a separate process.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { certificate, key } from "../../server/testing/receivers/tls-fixture.ts";

const ANSWER_AFTER_MS = 50;

const server = createServer({ key, cert: certificate }, (request, response) => {
  request.resume();
  request.on("end", () => setTimeout(() => response.end("ok"), ANSWER_AFTER_MS));
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  console.log(`http://localhost:${(server.address() as AddressInfo).port}`);
});
process.on("SIGTERM", () => process.exit(0));
