import type { OpenApiDocument } from "./openapi.ts";
import type { JsonSchema } from "./schemas.ts";

/** The parts of an OpenAPI document that the break check and the tests read. */
export type Operation = {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: SecurityRequirement[];
  parameters?: Parameter[];
  requestBody?: RequestBody;
  responses?: Record<string, Reply>;
};

export type SecurityRequirement = Record<string, string[]>;
export type Parameter = { name: string; in: string; required?: boolean; schema?: JsonSchema };
export type RequestBody = { required?: boolean; content: Content };
export type Reply = { headers?: Record<string, Header>; content?: Content };
export type Header = { required?: boolean; schema?: JsonSchema };
export type Content = Record<string, MediaType>;
export type MediaType = { schema?: JsonSchema; examples?: Record<string, { value?: unknown }> };

/** Operations, keyed by `GET /v1/catalog`. */
export const operationsOf = (document: OpenApiDocument): Map<string, Operation> =>
  collectOperations(document, document.paths);

/** Deliveries that the server sends to clients, keyed by `POST order.fulfilled`. */
export const deliveriesOf = (document: OpenApiDocument): Map<string, Operation> =>
  collectOperations(document, (document.webhooks ?? {}) as OpenApiDocument["paths"]);

function collectOperations(
  document: OpenApiDocument,
  items: OpenApiDocument["paths"],
): Map<string, Operation> {
  return new Map(
    Object.entries(items).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method] as Operation | undefined;
        if (!operation) return [];
        return [[`${method.toUpperCase()} ${path}`, withoutRefs(document, item, operation)] as const];
      }),
    ),
  );
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** The operation with its references resolved, so that moving a part to components changes nothing. */
function withoutRefs(document: OpenApiDocument, item: object, operation: Operation): Operation {
  const shared = ("parameters" in item ? item.parameters : []) as Parameter[];
  const { requestBody, responses = {}, parameters = [], ...rest } = operation;
  return {
    ...rest,
    parameters: [...shared, ...parameters].map((parameter) => target(document, parameter)),
    ...(requestBody ? { requestBody: target(document, requestBody) } : {}),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, reply]) => {
        const { headers = {}, ...declared } = target(document, reply);
        const plain = Object.entries(headers).map(([name, header]) => [name, target(document, header)]);
        return [status, { ...declared, headers: Object.fromEntries(plain) }];
      }),
    ),
  };
}

/** Resolves a reference within this document. */
export function target<Part extends object>(document: OpenApiDocument, part: Part): Part {
  if (!("$ref" in part)) return part;
  const reference = String(part.$ref);
  const found = reference
    .replace(/^#\//, "")
    .split("/")
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);
  if (typeof found !== "object" || found === null) throw new Error(`${reference} does not resolve`);
  return target(document, found as Part);
}
