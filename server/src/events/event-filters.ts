import { type Asked, invalidParameter, queryFilter } from "../http/query.ts";
import { EVENT_TYPES, type EventType, isEventType } from "./event-types.ts";

/** The filters of the request. A cursor is bound to them. */
export const canonicalFilters = (request: Asked, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = queryFilter(request, name);
      return text === undefined ? [] : [[name, text]];
    }),
  );

export function readEventType(request: Asked, name: string): EventType | undefined {
  const text = queryFilter(request, name);
  if (text === undefined || isEventType(text)) return text;
  throw invalidParameter(name, `${name} must be one of ${EVENT_TYPES.join(", ")}.`);
}
