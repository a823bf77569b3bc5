import type { FastifyReply } from "fastify";
import type { TSchema } from "typebox";

/** Declares a successful JSON response. Its schema is the allowlist of fields that can be sent. */
export const jsonReply = <Schema extends TSchema>(description: string, schema: Schema) => ({
  description,
  content: { "application/json": { schema } },
});

/** The serializer of the route's 200 response, for bodies that are rendered ahead and cached. */
export function serializerOf(reply: FastifyReply): (value: unknown) => string {
  const serialize = reply.getSerializationFunction("200", "application/json");
  if (!serialize) throw new Error(`${reply.routeOptions.url} declares no JSON reply`);
  return serialize as (value: unknown) => string;
}
