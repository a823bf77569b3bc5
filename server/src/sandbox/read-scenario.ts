import type { IncomingHttpHeaders } from "node:http";
import type { Tenant } from "../http/caller.ts";
import { rateLimited, USED_UP } from "../http/rate-limit.ts";
import { Problem } from "../lib/problem.ts";
import { type ForcedAnswer, isForcedAnswer, isScenario, SCENARIO_NAMES, type Scenario } from "./scenarios.ts";

const RETRY_AFTER_SECONDS = 1;

/** The scenario that a request asks for. The header is ignored for live keys. */
export function readScenario(
  { environment }: Pick<Tenant, "environment">,
  headers: IncomingHttpHeaders,
): Scenario | undefined {
  const header = headers["x-test-scenario"];
  if (environment !== "test" || header === undefined) return undefined;
  const text = Array.isArray(header) ? header.join(", ") : header;
  if (isScenario(text)) return text;
  const known = SCENARIO_NAMES.map((name) => `"${name}"`).join(", ");
  throw new Problem("invalid_test_scenario", `X-Test-Scenario must be one of ${known}.`);
}

/** The error that the scenario forces before anything else is checked, if any. */
export function findForcedAnswer(
  tenant: Pick<Tenant, "environment">,
  headers: IncomingHttpHeaders,
): Problem | undefined {
  const scenario = readScenario(tenant, headers);
  return scenario !== undefined && isForcedAnswer(scenario) ? forced(scenario) : undefined;
}

function forced(scenario: ForcedAnswer): Problem {
  const detail = `X-Test-Scenario asked for this answer.`;
  switch (scenario) {
    case "rate_limited":
      return rateLimited(USED_UP.retryAfterSeconds);
    case "internal_error":
      return new Problem("internal_error", detail, { isAskedFor: true });
    case "service_unavailable":
      return new Problem("service_unavailable", detail, {
        isAskedFor: true,
        headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
      });
  }
}
