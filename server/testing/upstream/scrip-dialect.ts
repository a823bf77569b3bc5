import type { Dialect, Reply } from "./upstream-dialect.ts";
import type { Refusal } from "./upstream-faults.ts";
import { spoilScripReply } from "./upstream-mishaps.ts";
import { codesReply, orderReply, pageReply, placedReply, problemReply } from "./upstream-replies.ts";
import { readCall } from "./upstream-requests.ts";

/** Another Scrip. */
export const scripDialect = (apiKey: string): Dialect => ({
  readRequest: (request, body) => readCall(request, body, apiKey),
  placed: placedReply,
  listed: pageReply,
  read: orderReply,
  codes: codesReply,
  missing: (verb) => (verb === "list" ? pageReply([]) : problemReply("not_found")),
  conflict: () => problemReply("idempotency_conflict"),
  refused: refusedReply,
  error: (mishap) => {
    if (mishap === "unauthorized") return problemReply("unauthenticated");
    return problemReply(mishap === "busy" ? "rate_limited" : mishap);
  },
  spoil: spoilScripReply,
});

function refusedReply(refusal: Refusal): Reply {
  if (refusal === "insufficient_funds") return problemReply(refusal);
  const pointer = refusal === "invalid_input_field" ? "/lines/0/inputFields/account" : "/lines/0/productId";
  return problemReply(refusal, { errors: [{ pointer, code: refusal, detail: "This one." }] });
}
