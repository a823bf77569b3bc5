import type { OrderScenario } from "./scenarios.ts";

/** How the events of a sandbox order differ in their delivery from those of any other order. */
export type EventDeliveryPlan = { delayMs?: number; sendTwice?: boolean; badSignature?: boolean };

/** CONTRACT 7. */
const LATE_MS = 60_000;

/** Undefined: as usual. It is decided when the event is written, so that no query needs to know scenarios. */
export function planEventDelivery(scenario: OrderScenario | null): EventDeliveryPlan | undefined {
  switch (scenario) {
    case "webhook_duplicate":
      return { sendTwice: true };
    case "webhook_late":
      return { delayMs: LATE_MS };
    case "webhook_bad_signature":
      return { badSignature: true };
    default:
      return undefined;
  }
}
