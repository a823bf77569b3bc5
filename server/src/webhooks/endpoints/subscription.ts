import { EVENT_TABLE, isEventType } from "../../events/event-types.ts";
import { type FieldError, Problem } from "../../lib/problem.ts";

const SUBSCRIPTION_ERRORS_MAX = 20;

/** Throws 400 for a list with an unknown type or a repeated one. */
export function assertSubscription(events: readonly string[]): void {
  const errors = events
    .flatMap((type, index) => findFault(events, type, index))
    .slice(0, SUBSCRIPTION_ERRORS_MAX);
  const [first] = errors;
  if (first) throw new Problem("invalid_request", first.detail, { errors });
}

function findFault(events: readonly string[], type: string, index: number): FieldError[] {
  const pointer = `/events/${index}`;
  if (!isEventType(type) || !EVENT_TABLE[type].isSubscribable) {
    const detail = `events.${index} is not an event type; GET /v1/event-types lists them.`;
    return [{ pointer, code: "unknown_event_type", detail }];
  }
  if (events.indexOf(type) === index) return [];
  return [{ pointer, code: "repeated", detail: `events.${index} names ${type} a second time.` }];
}
