export type JsonSchema = { [member: string]: unknown };

/** Converts Fastify's references (`Product#`) to OpenAPI references. */
export function plainRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainRefs);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) =>
      member === "$ref" && typeof inner === "string"
        ? [member, `#/components/schemas/${inner.replace(/#$/, "")}`]
        : [member, plainRefs(inner)],
    ),
  );
}

/** Each property of an object schema as a parameter. */
export function describeParameters(
  place: "path" | "query" | "header",
  schema: JsonSchema | undefined,
): object[] {
  const properties = (schema?.properties ?? {}) as Record<string, JsonSchema>;
  const required = (schema?.required ?? []) as string[];
  return Object.entries(properties).map(([name, { description, ...inner }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    description,
    schema: plainRefs(inner),
  }));
}

/** The headers of a successful response. */
export const replyHeaders = (conditional: boolean, limited: boolean): Record<string, object> => ({
  "X-Request-Id": header(
    "Identifies this request in the server's log. Include it when you ask for help.",
    "req_01m7ef4g9je00974k1yf0xf7j3",
  ),
  ...(conditional
    ? {
        ETag: header(
          "Identifies this version of the response. Send it back in `If-None-Match`.",
          '"Yb3lqzYsW0Vd5m0qJm0c1g"',
        ),
      }
    : {}),
  ...(limited ? rateLimitHeaders : {}),
});

const header = (description: string, example: string): object => ({
  description,
  schema: { type: "string", examples: [example] },
});

export const requestIdHeader = {
  "X-Request-Id": header("Equal to `request_id` in the body.", "req_01m7ef4g9je00974k1yf0xf7j3"),
};

export const rateLimitHeaders = {
  "RateLimit-Policy": header("The key's rate limit: quota `q` per `w` seconds.", '"reads";q=200;w=2'),
  RateLimit: header("What is left: `r` requests, fully restored in `t` seconds.", '"reads";r=199;t=1'),
};
