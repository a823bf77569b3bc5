import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";
import type { FastifyServerOptions } from "fastify";
import { lazily } from "../../lib/lazily.ts";

type SchemaController = NonNullable<FastifyServerOptions["schemaController"]>;

/**
 * A schema is compiled when the first request needs it. Compiling all of them takes a fifth of the CPU time of a start, and
 * a process rarely serves every route.
 */
export const lazyCompilers: SchemaController = {
  compilersFactory: {
    buildSerializer(externalSchemas, options) {
      const compile = SerializerSelector()(externalSchemas, options);
      return (route) => lazily(() => compile(route));
    },
    // Never asked: validateRequests sets its own. Without this Fastify loads a second validator at every start.
    buildValidator() {
      throw new Error("the validator compiler is not set");
    },
  },
};
