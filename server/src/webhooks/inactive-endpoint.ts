import { Problem } from "../lib/problem.ts";

/** Nothing can be sent to an endpoint that is not active. The contract has no code of its own for it. */
export const inactiveEndpoint = (): Problem =>
  new Problem(
    "invalid_request",
    "The endpoint is not active, and nothing is sent to it. Set active to true first, with PATCH /v1/webhooks/{id}.",
  );
