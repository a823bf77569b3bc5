import type { preValidationHookHandler } from "fastify";

/** A body that was not sent is an empty one. A route whose body's schema is `x-optional` needs this. */
export const optionalBody: preValidationHookHandler = (request, _reply, done) => {
  if (request.body === undefined) request.body = {};
  done();
};
