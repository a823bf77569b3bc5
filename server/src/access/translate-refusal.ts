import { Refusal, type RefusalCode } from "../accounts/refusal.ts";
import { isDatabaseUnavailable } from "../db/database-errors.ts";
import { Problem } from "../lib/problem.ts";
import type { ProblemCode } from "../lib/problem-table.ts";

/** Refusals that are about more than what was typed. */
const CODES: Partial<Record<RefusalCode, ProblemCode>> = {
  not_found: "not_found",
  session_ended: "unauthenticated",
  not_permitted: "forbidden",
  proof_needed: "forbidden",
  not_local: "forbidden",
};

/** What an error of a lower room means for a page. A refusal comes back at the field that it names. */
export function translateRefusal(error: unknown): Problem | undefined {
  if (error instanceof Refusal) return fromRefusal(error);
  if (!isDatabaseUnavailable(error)) return undefined;
  return new Problem("service_unavailable", "The service cannot reach its database at the moment.", {
    headers: { "retry-after": "5" },
    cause: error,
  });
}

function fromRefusal({ code, message, field }: Refusal): Problem {
  const errors = field === undefined ? [] : [{ pointer: `/${field}`, code, detail: message }];
  return new Problem(CODES[code] ?? "invalid_request", message, { errors });
}
