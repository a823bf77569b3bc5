import { PRODUCT_TYPES } from "../../src/catalog/queries.ts";
import { EVENT_TYPES } from "../../src/events/event-types.ts";
import type { JsonSchema } from "../../src/http/openapi/schemas.ts";
import { SCENARIO_NAMES } from "../../src/sandbox/scenarios.ts";
import type { Random } from "../seed.ts";
import { CARDS, TOP_UP, TOP_UP_VALUES } from "./fuzz-goods.ts";
import type { FuzzMemory } from "./fuzz-memory.ts";

/** What a value can be built from: known values and their tenants. */
export type ValueContext = {
  random: Random;
  memory: FuzzMemory;
  /** The tenant whose objects are used: mostly the caller's own. */
  tenant: string;
  operationId: string;
  /** Identifies this request within the run. */
  mark: string;
  receiverUrl: string;
  deadUrl: string;
};

/** A value that the schema allows, made from real objects if its name says what it is. */
export function goodValue(context: ValueContext, name: string, schema: JsonSchema): unknown {
  const known = KNOWN[name];
  if (known) return known(context);
  const { random } = context;
  if (Array.isArray(schema.enum)) return random.pick(schema.enum);
  switch (schema.type) {
    case "integer":
    case "number":
      return goodNumber(random, schema);
    case "boolean":
      return random.chance(0.5);
    case "array":
      return goodArray(context, name, schema);
    case "object":
      return goodObject(context, schema);
    default:
      return "x".repeat(
        random.pick([Number(schema.minLength ?? 0), 1, Math.min(Number(schema.maxLength ?? 40), 300)]),
      );
  }
}

type Make = (context: ValueContext) => unknown;

const recall =
  (kind: string): Make =>
  ({ random, memory, tenant }) =>
    memory.recall(random, tenant, kind);

/** Of RFC 9180, A.1.1. */
const PUBLIC_KEY = "OUjP4K0d22ldeA5ZB3GV2mxWUGsCcyl5SrAryoCBXE0";

const DAY_MS = 86_400_000;

const aboutNow: Make = ({ random }) =>
  new Date(Date.now() - random.pick([-1_000, 0, 1_000, 60_000, DAY_MS, 29 * DAY_MS])).toISOString();

/** Names with one meaning everywhere in the document. All others are generated from their schema. */
const KNOWN: Readonly<Record<string, Make>> = {
  productId: ({ random, memory, tenant }) =>
    random.chance(0.97) ? random.pick([...CARDS, TOP_UP]) : memory.recall(random, tenant, "products"),
  orderId: recall("orders"),
  cursor: recallCursor,
  quantity: ({ random }) =>
    random.chance(0.03) ? random.pick([0, 11]) : random.pick([1, 1, 1, 1, 1, 2, 2, 3, 10]),
  reference: ({ random, memory, tenant, mark }) =>
    random.chance(0.7) ? `reference ${mark}` : memory.recall(random, tenant, "reference"),
  idempotencyKey: (context) =>
    context.operationId === "placeOrders" ? idempotencyKey(context) : recall("idempotency key")(context),
  "Idempotency-Key": idempotencyKey,
  "X-Test-Scenario": ({ random }) => random.pick(SCENARIO_NAMES),
  "If-None-Match": recall("etag"),
  // Long pages find the same mistakes as short ones, at the price of dozens of requests.
  limit: ({ random }) =>
    random.chance(0.1) ? random.pick([0, 50, 100, 101, 10_000]) : random.pick([1, 2, 5]),
  status: ({ random }) =>
    random.pick([
      "pending",
      "processing",
      "completed",
      "failed",
      "refunded",
      "delivered",
      "requested",
      "credited",
    ]),
  type: ({ random, operationId }) =>
    operationId === "listCatalog"
      ? random.pick(PRODUCT_TYPES)
      : random.pick([...EVENT_TYPES, "deposit", "order", "refund", "adjustment"]),
  q: ({ random }) => random.pick(["card", "CÁRD", "a b", "%", "\u{1F600}", "x".repeat(100), "product 1"]),
  brand: ({ random }) => random.pick(["Nimbus", "Pokémon", "x".repeat(100)]),
  category: ({ random }) => random.pick(["Games", "x".repeat(100)]),
  country: ({ random }) => random.pick(["US", "DE", "ZW"]),
  events: ({ random }) => EVENT_TYPES.filter((_, index) => index === random.below(3) || random.chance(0.3)),
  url: ({ random, receiverUrl, deadUrl, mark }) => `${random.pick([receiverUrl, deadUrl, deadUrl])}?${mark}`,
  inputFields: ({ random }) =>
    random.chance(0.7) ? TOP_UP_VALUES : { ...TOP_UP_VALUES, account: 87_654_321 },
  expectedTotal: ({ random }) => random.pick([250, 500, 0]),
  since: (context) =>
    context.operationId === "listCatalogChanges" ? recallCursor(context) : aboutNow(context),
  threshold: ({ random }) => random.pick([1, 12_500, Number.MAX_SAFE_INTEGER, null]),
  amount: ({ random }) => random.pick([1, 500, 12_500, Number.MAX_SAFE_INTEGER]),
  note: ({ random, mark }) => random.pick([`note ${mark}`, "test:partial", "test:reject", "test:wait"]),
  publicKey: ({ random }) =>
    random.pick([PUBLIC_KEY, PUBLIC_KEY, `${PUBLIC_KEY}=`, "A".repeat(43), PUBLIC_KEY.slice(1), "not a key"]),
  until: aboutNow,
  createdFrom: aboutNow,
  createdTo: aboutNow,
};

function recallCursor({ random, memory, tenant, operationId }: ValueContext): unknown {
  return memory.recall(random, tenant, `cursor ${random.chance(0.9) ? operationId : "listOrders"}`);
}

/** A new key, a used one, or one of another tenant. */
function idempotencyKey({ random, memory, tenant, mark }: ValueContext): string {
  const other = random.pick(memory.tenants);
  const how = random.below(10);
  if (how < 2) return memory.recall(random, how === 0 ? tenant : other, "idempotency key");
  return `${tenant} ${mark}`;
}

function goodNumber(random: Random, { minimum, maximum }: JsonSchema): number {
  const low = Number(minimum ?? 0);
  const high = Number(maximum ?? Number.MAX_SAFE_INTEGER);
  return random.pick([low, low + 1, high, low + random.below(Math.min(high - low, 1_000) + 1)]);
}

function goodArray(context: ValueContext, name: string, schema: JsonSchema): unknown[] {
  const least = Number(schema.minItems ?? 0);
  // A full batch of orders has thousands of lines, which takes longer than all other requests together.
  const most = name === "orders" ? 8 : Number(schema.maxItems ?? 4);
  const isFull = context.random.chance(0.02);
  const count = Math.max(least, isFull ? most : context.random.pick([1, 1, 1, 1, 1, 2, 3]));
  return Array.from({ length: count }, () => goodValue(context, `${name}[]`, schema.items as JsonSchema));
}

/** Every required member, and each optional one half of the time. */
function goodObject(context: ValueContext, schema: JsonSchema): Record<string, unknown> {
  const required = (schema.required ?? []) as string[];
  const members = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const made: Record<string, unknown> = {};
  for (const [name, inner] of members) {
    // Drawn for each member, so that the same draws follow any choice.
    const chosen = context.random.chance(name === "expectedTotal" ? 0.05 : 0.5);
    if (required.includes(name) || chosen) made[name] = goodValue(context, name, inner);
  }
  if (made.productId !== undefined && made.productId !== TOP_UP) delete made.inputFields;
  if (made.productId === TOP_UP) made.inputFields ??= TOP_UP_VALUES;
  return made;
}
