// The yardstick of the catalog's benchmark: a Fastify route that returns the same bytes and does nothing else.
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";

const body = readFileSync(process.argv[2] ?? "");
const app = Fastify({ logger: false });
app.get("/v1/catalog", (_request, reply) => reply.type("application/json; charset=utf-8").send(body));
await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`http://localhost:${(app.server.address() as AddressInfo).port}`);
process.on("SIGTERM", () => process.exit(0));
