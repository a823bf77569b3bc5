import type { FastifyInstance } from "fastify";
import { endpointRoutes } from "./endpoints/endpoint-routes.ts";
import { secretRoutes } from "./endpoints/secret-routes.ts";
import { historyRoutes } from "./history/history-routes.ts";
import type { WebhookDeps } from "./webhook-deps.ts";

export function webhookRoutes(app: FastifyInstance, deps: WebhookDeps): void {
  endpointRoutes(app, deps);
  secretRoutes(app, deps);
  historyRoutes(app, deps);
}
