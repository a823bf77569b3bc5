import type { FastifyInstance } from "fastify";
import { endpointRoutes } from "./endpoint-routes.ts";
import { eventRoutes } from "./event-routes.ts";
import { historyRoutes } from "./history-routes.ts";
import { secretRoutes } from "./secret-routes.ts";
import type { WebhookDeps } from "./webhook-deps.ts";

export function webhookRoutes(app: FastifyInstance, deps: WebhookDeps): void {
  endpointRoutes(app, deps);
  secretRoutes(app, deps);
  historyRoutes(app, deps);
  eventRoutes(app, deps);
}
