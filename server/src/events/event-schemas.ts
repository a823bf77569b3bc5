import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { named } from "../http/named-schema.ts";
import { Type } from "../http/openapi/type.ts";
import { pageOf } from "../http/page.ts";
import { EVENT_TABLE, type EventDataOf, type EventFacts, type EventType } from "./event-types.ts";

/** `data` of all event types in one object. A member is optional, and its description names the types that have it. */
export function mergeData(
  table: Readonly<Record<string, Pick<EventFacts, "data">>>,
): Record<string, TSchema> {
  const members = Object.entries(table).flatMap(([type, { data }]) =>
    Object.entries(data.properties).map(([name, schema]) => ({ type, name, schema: schema as Described })),
  );
  const byName = [...Map.groupBy(members, ({ name }) => name)];
  return Object.fromEntries(byName.map(([name, uses]) => [name, mergeMember(name, uses)]));
}

type Described = TSchema & { description?: string };

function mergeMember(name: string, uses: readonly { type: string; schema: Described }[]): TSchema {
  const [first] = uses;
  if (!first || !uses.every(({ schema }) => isDeepStrictEqual(schema, first.schema)))
    throw new Error(`Event types disagree about the schema of data.${name}.`);
  const types = uses.map(({ type }) => `\`${type}\``).join(", ");
  return Type.Optional({ ...first.schema, description: `With ${types}: ${first.schema.description}` });
}

/** SPEC.md, Event envelope: the only shape beside errors that is written in snake_case. */
const Event = named(
  "Event",
  Type.Object(
    {
      id: Type.String({ description: "Event id, which also comes as `Service-Event-Id`." }),
      type: Type.String({ description: "Event type. New ones are added at any time." }),
      created_at: Type.String({ format: "date-time" }),
      data: Type.Object(mergeData(EVENT_TABLE), {
        description: "What happened. Never a code: fetch those with your key.",
      }),
    },
    {
      description: "An event, exactly as it is delivered.",
      examples: [
        {
          id: "evt_01m7ef4g9je00974k1yf0xf7j3",
          type: "order.fulfilled",
          created_at: "2030-01-31T12:00:00.000Z",
          data: EVENT_TABLE["order.fulfilled"].example,
        },
      ],
    },
  ),
);

export const EventReply = named("EventReply", Type.Object({ event: Event }));
export const EventPage = named("EventPage", pageOf(Event));

export const EventTypeList = named(
  "EventTypeList",
  Type.Object({
    data: Type.Array(
      Type.Object(
        { type: Type.String(), description: Type.String() },
        {
          examples: [
            {
              type: "order.fulfilled",
              description: EVENT_TABLE["order.fulfilled"].description,
            },
          ],
        },
      ),
    ),
  }),
);

export type EventView = { id: string; type: string; created_at: string; data: EventData };

/** Any type's `data`, as a reader sees it who does not know the type. */
type AnyData = EventDataOf<EventType>;
type EventData = { [Name in NamesIn<AnyData>]?: ValueIn<AnyData, Name> };
type NamesIn<Data> = Data extends unknown ? keyof Data : never;
type ValueIn<Data, Name extends PropertyKey> =
  Data extends Readonly<Record<Name, infer Value>> ? Value : never;
