/** The values of `X-Test-Scenario` (CONTRACT 7), and what each does. */
export const SCENARIOS = {
  insufficient_funds: "the order is refused with 402 `insufficient_funds`",
  out_of_stock: "the order is refused with 422 `out_of_stock`",
  product_not_purchasable: "the order is refused with 422 `product_not_purchasable`",
  rate_limited: "any request is answered with 429 `rate_limited`",
  internal_error: "any request is answered with 500 `internal_error`",
  service_unavailable: "any request is answered with 503 `service_unavailable`",
  success: "the order completes, as it does without a scenario",
  failed: "the order fails and rests there, its refund on hold",
  refunded: "the order fails and is refunded",
  partial: "the last unit is refunded, the others are delivered; a single unit is refunded",
  delayed: "the order stays `processing` for 20 s and completes",
  stuck: "the order stays `processing`",
  refunded_after_completion: "the order completes and is refunded a moment later",
  webhook_duplicate: "each event of the order is delivered twice",
  webhook_late: "each event of the order is delivered 60 s late",
  webhook_bad_signature: "the events of the order carry a signature that does not verify",
} as const;

export type Scenario = keyof typeof SCENARIOS;

export const SCENARIO_NAMES = Object.keys(SCENARIOS) as Scenario[];

/** Returned before anything else is checked, on every endpoint. */
export type ForcedAnswer = "rate_limited" | "internal_error" | "service_unavailable";
/** Refuses a placement that would otherwise be accepted. */
export type ForcedRefusal = "insufficient_funds" | "out_of_stock" | "product_not_purchasable";
/** Stored with the order when it is accepted. `success` needs nothing stored. */
export type OrderScenario = Exclude<Scenario, ForcedAnswer | ForcedRefusal | "success">;

const FORCED_ANSWERS: ReadonlySet<Scenario> = new Set<ForcedAnswer>([
  "rate_limited",
  "internal_error",
  "service_unavailable",
]);
const FORCED_REFUSALS: ReadonlySet<Scenario> = new Set<ForcedRefusal>([
  "insufficient_funds",
  "out_of_stock",
  "product_not_purchasable",
]);

export const isScenario = (text: string): text is Scenario => Object.hasOwn(SCENARIOS, text);
export const isForcedAnswer = (scenario: Scenario): scenario is ForcedAnswer => FORCED_ANSWERS.has(scenario);
export const isForcedRefusal = (scenario: Scenario): scenario is ForcedRefusal =>
  FORCED_REFUSALS.has(scenario);
export const isOrderScenario = (scenario: Scenario): scenario is OrderScenario =>
  scenario !== "success" && !isForcedAnswer(scenario) && !isForcedRefusal(scenario);
