import { Problem } from "../../lib/problem.ts";

/** Nothing can be sent to an endpoint that is not active. */
export const inactiveEndpoint = (): Problem =>
  new Problem(
    "webhook_inactive",
    "The endpoint is not active, and nothing is sent to it. Set active to true first, with PATCH /v1/webhooks/{id}.",
  );
