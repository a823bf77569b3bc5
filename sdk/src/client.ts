import { type ClientOptions, openConnection } from "./connection.ts";
import { type EventMethods, type EventTypeMethods, eventMethods, eventTypeMethods } from "./events.ts";
import { type OrderMethods, orderMethods } from "./orders.ts";

export type Client = {
  orders: OrderMethods;
  events: EventMethods;
  eventTypes: EventTypeMethods;
};

/** Calls fail with a `ScripError` alone; an argument that no call could be made of is a `RangeError`. */
export function createClient(options: ClientOptions): Client {
  const connection = openConnection(options);
  return {
    orders: orderMethods(connection),
    events: eventMethods(connection),
    eventTypes: eventTypeMethods(connection),
  };
}
