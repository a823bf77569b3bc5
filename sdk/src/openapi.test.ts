import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "./client.ts";
import { REPLIES } from "./http/replies.ts";
import {
  count,
  type Described,
  flag,
  list,
  object,
  optional,
  type Shape,
  text,
  texts,
  wordOf,
} from "./http/shapes.ts";
import { answeredBy, json } from "./testing/answering-server.ts";
import {
  exampleOf,
  findOperations,
  type Operation,
  readDocument,
  resolve,
  type Schema,
  wordsIn,
} from "./testing/openapi.ts";
import type { CatalogChangeFilters, CatalogFilters } from "./types/catalog.ts";
import type { PageFilters } from "./types/common.ts";
import type { OrderFilters, PlaceOrderInput } from "./types/orders.ts";
import type { RequestFilters } from "./types/requests.ts";
import type { CreateDepositInput, DepositFilters, WalletEntryFilters } from "./types/wallet.ts";
import type {
  DeliveryFilters,
  EventFilters,
  RecoverInput,
  RegisterWebhookInput,
  RotateSecretInput,
  UpdateWebhookInput,
} from "./webhooks/webhook-types.ts";
import {
  DELIVERY_STATUSES,
  DEPOSIT_STATUSES,
  EVENT_TYPES,
  FULFILMENTS,
  ORDER_STATUSES,
  PRODUCT_TYPES,
  TEST_SCENARIOS,
  WALLET_ENTRY_TYPES,
} from "./words.ts";

const DOCUMENT = readDocument();
const OPERATIONS = findOperations(DOCUMENT);

type Covered = keyof typeof REPLIES;

const ID = "a/b";
const PLACEMENT = { lines: [{ productId: "card", quantity: 1 }] };

/** The call of each operation. */
const CALLS: Record<Covered, (client: Client) => PromiseLike<unknown>> = {
  getMe: (client) => client.me(),
  getBalance: ({ wallet }) => wallet.balance(),
  getWalletAlert: ({ wallet }) => wallet.alert(),
  setWalletAlert: ({ wallet }) => wallet.setAlert(1),
  listCatalog: ({ catalog }) => catalog.list(),
  listCatalogChanges: ({ catalog }) => catalog.changes(),
  getProduct: ({ products }) => products.get(ID),
  checkProductAccount: ({ products }) => products.check(ID, { account: "1" }),
  placeOrder: ({ orders }) => orders.place(PLACEMENT),
  placeOrders: ({ orders }) => orders.placeBatch([PLACEMENT]),
  listOrders: ({ orders }) => orders.list(),
  getOrder: ({ orders }) => orders.get(ID),
  getOrderCodes: ({ orders }) => orders.codes(ID),
  registerEncryptionKey: ({ encryptionKey }) => encryptionKey.register("key"),
  getEncryptionKey: ({ encryptionKey }) => encryptionKey.get(),
  removeEncryptionKey: ({ encryptionKey }) => encryptionKey.remove(),
  getOrderTimeline: ({ orders }) => orders.timeline(ID),
  listRequests: ({ requests }) => requests.list(),
  getRequest: ({ requests }) => requests.get(ID),
  listWalletEntries: ({ wallet }) => wallet.entries(),
  requestDeposit: ({ deposits }) => deposits.create({ amount: 500 }),
  getDeposit: ({ deposits }) => deposits.get(ID),
  listDeposits: ({ deposits }) => deposits.list(),
  listEvents: ({ events }) => events.list(),
  getEvent: ({ events }) => events.get(ID),
  listEventTypes: ({ eventTypes }) => eventTypes.list(),
  registerWebhook: ({ webhooks }) => webhooks.register({ url: "https://shop.example" }),
  listWebhooks: ({ webhooks }) => webhooks.list(),
  getWebhook: ({ webhooks }) => webhooks.get(ID),
  changeWebhook: ({ webhooks }) => webhooks.update(ID, { active: true }),
  removeWebhook: ({ webhooks }) => webhooks.remove(ID),
  rotateWebhookSecret: ({ webhooks }) => webhooks.rotate(ID),
  testWebhook: ({ webhooks }) => webhooks.test(ID),
  redeliver: ({ deliveries }) => deliveries.redeliver(ID),
  listWebhookDeliveries: ({ webhooks }) => webhooks.deliveries(ID),
  recoverWebhook: ({ webhooks }) => webhooks.recover(ID, { since: "2030-01-01T00:00:00Z" }),
  listWebhookEgressIps: ({ webhooks }) => webhooks.egressIps(),
};

const oneOf = <Word extends string>(words: readonly Word[]): Shape<Word> => ({ kind: "text", words });
const paged = { limit: optional(count), cursor: optional(text) };
const created = { createdFrom: optional(text), createdTo: optional(text) };

/** The filters that the types allow; the compiler checks each of them. */
const FILTERS: Partial<Record<Covered, Described>> = {
  listCatalog: object<CatalogFilters>({
    ...paged,
    q: optional(text),
    brand: optional(text),
    category: optional(text),
    country: optional(text),
    type: optional(oneOf(PRODUCT_TYPES)),
    purchasable: optional(flag),
  }),
  listCatalogChanges: object<CatalogChangeFilters>({ limit: optional(count), since: optional(text) }),
  listOrders: object<OrderFilters>({
    ...paged,
    ...created,
    status: optional(oneOf(ORDER_STATUSES)),
    reference: optional(text),
    idempotencyKey: optional(text),
    productId: optional(text),
  }),
  listWalletEntries: object<WalletEntryFilters>({
    ...paged,
    ...created,
    type: optional(oneOf(WALLET_ENTRY_TYPES)),
    orderId: optional(text),
  }),
  listDeposits: object<DepositFilters>({ ...paged, status: optional(oneOf(DEPOSIT_STATUSES)) }),
  listEvents: object<EventFilters>({
    ...paged,
    ...created,
    type: optional(wordOf(EVENT_TYPES)),
    orderId: optional(text),
  }),
  listRequests: object<RequestFilters>({
    ...paged,
    ...created,
    status: optional(text),
    errorCode: optional(text),
    keyId: optional(text),
  }),
  listWebhooks: object<PageFilters>(paged),
  listWebhookDeliveries: object<DeliveryFilters>({
    ...paged,
    ...created,
    status: optional(oneOf(DELIVERY_STATUSES)),
    eventType: optional(wordOf(EVENT_TYPES)),
    eventId: optional(text),
    orderId: optional(text),
  }),
};

const ORDER_MEMBERS = {
  lines: list(
    object<PlaceOrderInput["lines"][number]>({
      productId: text,
      quantity: count,
      inputFields: optional(texts),
    }),
  ),
  reference: optional(text),
  expectedTotal: optional(count),
  fulfilment: optional(oneOf(FULFILMENTS)),
};

/** The bodies that the types allow. The SDK adds a missing key. */
const BODIES: Partial<Record<Covered, Described>> = {
  checkProductAccount: object<{ inputFields: Record<string, string> }>({ inputFields: texts }),
  placeOrder: object<PlaceOrderInput>(ORDER_MEMBERS),
  placeOrders: object<{ orders: (PlaceOrderInput & { idempotencyKey: string })[] }>({
    orders: list(
      object<PlaceOrderInput & { idempotencyKey: string }>({ ...ORDER_MEMBERS, idempotencyKey: text }),
    ),
  }),
  requestDeposit: object<CreateDepositInput>({ amount: count, note: optional(text) }),
  registerEncryptionKey: object<{ publicKey: string }>({ publicKey: text }),
  registerWebhook: object<RegisterWebhookInput>({ url: text, events: optional(list(text)) }),
  setWalletAlert: object<{ threshold: number }>({ threshold: count }),
  changeWebhook: object<UpdateWebhookInput>({
    url: optional(text),
    events: optional(list(text)),
    active: optional(flag),
  }),
  rotateWebhookSecret: object<RotateSecretInput>({ gracePeriodSeconds: optional(count) }),
  recoverWebhook: object<RecoverInput>({ since: text, until: optional(text) }),
};

/** `orders.place` sends the first and every call may send the second; the third saves transfer and changes no answer. */
const HEADERS = ["Idempotency-Key", "X-Test-Scenario", "If-None-Match"];

test("the client has a method for every operation of the API, and for no other", () => {
  assert.deepEqual(Object.keys(REPLIES).sort(), [...OPERATIONS.keys()].sort());
});

for (const [id, call] of Object.entries(CALLS)) {
  const operation = OPERATIONS.get(id);
  if (operation) walk(id as Covered, operation, call);
}

function walk(id: Covered, operation: Operation, call: (client: Client) => PromiseLike<unknown>): void {
  test(`${id}: calls the right endpoint and reads the documented response, with and without optional members`, async () => {
    for (const isFull of [true, false]) {
      const answer = json(exampleOf(DOCUMENT, operation.reply, isFull), { status: operation.status });
      await answeredBy(answer, async ({ client, heard }) => {
        await call(client());
        const path = operation.path.replace("{id}", encodeURIComponent(ID));
        assert.deepEqual([heard[0]?.method, heard[0]?.url], [operation.method, path]);
      });
    }
  });

  test(`${id}: the types of answer, filters and body are those of the API`, () => {
    assert.deepEqual(differences(REPLIES[id], operation.reply, `${id} answer`), []);
    const filters = FILTERS[id] ?? object<Record<never, never>>({});
    assert.deepEqual(differences(filters, operation.query, `${id} query`), []);
    const body = BODIES[id] ?? object<Record<never, never>>({});
    assert.deepEqual(differences(body, operation.body, `${id} body`), []);
    const headers = Object.keys(operation.headers).filter((name) => !HEADERS.includes(name));
    assert.deepEqual(headers, []);
  });
}

test("the scenarios that an editor suggests are those of the sandbox", () => {
  const told = OPERATIONS.get("placeOrder")?.headers["X-Test-Scenario"] ?? "";
  const names = Array.from(told.matchAll(/^- `([a-z_]+)`/gm), ([, name]) => name);
  assert.deepEqual([...TEST_SCENARIOS], names);
});

const TYPES: Record<Described["kind"], string> = {
  text: "string",
  flag: "boolean",
  count: "integer",
  integer: "integer",
  texts: "object",
  list: "array",
  object: "object",
};

/** The differences between shape and schema, one per line. */
function differences(shape: Described, reference: Schema, at: string): string[] {
  const schema = resolve(DOCUMENT, reference);
  if (schema.type !== TYPES[shape.kind]) return [`${at} is ${TYPES[shape.kind]}, in the API ${schema.type}`];
  if (shape.kind === "list") return differences(shape.item, schema.items ?? {}, `${at}[]`);
  if (shape.kind === "object") return memberDifferences(shape.members, schema, at);
  if (shape.kind === "texts") return schema.properties ? [`${at} has named members in the API`] : [];
  const known = shape.kind === "text" ? (shape.words ?? []) : [];
  const words = wordsIn(schema);
  return known.join() === words.join() ? [] : [`${at} knows ${known}, the API ${words}`];
}

function memberDifferences(
  members: Extract<Described, { kind: "object" }>["members"],
  { properties = {}, required = [] }: Schema,
  at: string,
): string[] {
  const names = new Set([...Object.keys(members), ...Object.keys(properties)]);
  return [...names].flatMap((name) => {
    const [member, schema] = [members[name], properties[name]];
    const path = `${at}.${name}`;
    if (!member) return [`${path} is missing here`];
    if (!schema) return [`${path} is not in the API`];
    const isOptional = member.kind === "optional";
    if (isOptional === required.includes(name)) return [`${path} is required on one side alone`];
    return differences(isOptional ? member.shape : member, schema, path);
  });
}
