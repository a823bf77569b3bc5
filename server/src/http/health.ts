import type { FastifyInstance } from "fastify";

/** `/healthz`: the process is alive. `/readyz`: it can serve requests and is not shutting down. */
export function healthRoutes(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  app.get("/healthz", { logLevel: "warn" }, async () => ({ status: "ok" }));
  app.get("/readyz", { logLevel: "warn" }, async (_request, reply) => {
    if (await isReady()) return { status: "ready" };
    return reply.code(503).header("retry-after", "1").send({ status: "not ready" });
  });
}
