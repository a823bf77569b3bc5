import type { FastifyInstance } from "fastify";
import { endpointRoutes } from "./endpoints/routes.ts";
import { secretRoutes } from "./endpoints/secret-routes.ts";
import { historyRoutes } from "./history/routes.ts";
import type { WebhookDeps } from "./webhook-deps.ts";

export function webhookRoutes(app: FastifyInstance, deps: WebhookDeps): void {
  endpointRoutes(app, deps);
  secretRoutes(app, deps);
  historyRoutes(app, deps);
}
