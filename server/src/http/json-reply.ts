import type { FastifyReply } from "fastify";
import type { TSchema } from "typebox";

/** Declares a successful JSON reply. Its schema is the allow-list of what may leave. */
export const jsonReply = <Schema extends TSchema>(description: string, schema: Schema) => ({
  description,
  content: { "application/json": { schema } },
});

/** The serializer of the route's 200 reply, for what is rendered ahead and kept. */
export function serializerOf(reply: FastifyReply): (value: unknown) => string {
  const serialize = reply.getSerializationFunction("200", "application/json");
  if (!serialize) throw new Error(`${reply.routeOptions.url} declares no JSON reply`);
  return serialize as (value: unknown) => string;
}
