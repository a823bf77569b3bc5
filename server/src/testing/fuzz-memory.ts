import assert from "node:assert/strict";
import { FUZZ_PRODUCTS, LIVE_CODE } from "./fuzz-goods.ts";
import type { FuzzWorld } from "./fuzz-world.ts";
import type { RawReply } from "./raw-http.ts";
import type { Random } from "./seed.ts";

/** What the fuzzer has been told so far, by whom it was told it. */
export type FuzzMemory = {
  /** One of what the tenant has been told of this kind: `orders`, `webhooks`, `cursor listOrders`, `etag`… */
  recall(random: Random, tenant: string, kind: string): string;
  note(tenant: string, kind: string, value: string): void;
  /** Draws it no more: what is gone answers 404 alone. */
  forget(tenant: string, kind: string, value: string): void;
  /** Keeps ids, cursors and so on. Throws when something was told that is another tenant's. */
  learn(tenant: string, told: Told): void;
  /** Whose an id or a cursor is, when it was told to somebody. */
  ownerOf(word: string): string | undefined;
  tenants: readonly string[];
};

export type Told = { operationId: string; sent: string; reply: RawReply };

const REMEMBERED_MAX = 64;
const KINDS: Readonly<Record<string, string>> = {
  ord: "orders",
  whk: "webhooks",
  evt: "events",
  dlv: "deliveries",
  ent: "entries",
  cod: "codes",
};
const ID = /\b(ord|whk|evt|dlv|ent|cod)_[0-9a-z]{26}\b/g;
const WEBHOOK_SECRET = /whsec_[A-Za-z0-9+/=]{8,}/g;
const TEST_CODE = /TEST-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}/g;
const API_KEY = /sc_(?:live|test)_[0-9A-Za-z]{38}/g;
/** Secrets and codes leave by these alone. */
const TELLS_SECRETS: ReadonlySet<string> = new Set(["registerWebhook", "rotateWebhookSecret"]);
const TELLS_CODES: ReadonlySet<string> = new Set(["getOrderCodes"]);

export function createFuzzMemory(world: FuzzWorld): FuzzMemory {
  const tenants = world.owners.map(({ tenant }) => tenant);
  const pools = new Map<string, string[]>();
  const owners = new Map<string, string>();
  const secrets = new Set<string>();

  const note = (tenant: string, kind: string, value: string): void => {
    const pool = pools.get(`${tenant} ${kind}`) ?? [];
    pools.set(`${tenant} ${kind}`, pool);
    if (pool.length >= REMEMBERED_MAX) pool.shift();
    pool.push(value);
  };

  /** Whoever is told something first owns it; told to anybody else it has leaked, unless that one had said it. */
  const claim = (tenant: string, { operationId, sent }: Told, value: string): boolean => {
    const owner = owners.get(value);
    if (owner === undefined && sent.includes(value)) return false;
    if (owner === undefined) {
      assert.ok(tenants.includes(tenant), `${operationId} told ${value} to whoever asks`);
      owners.set(value, tenant);
    } else if (owner !== tenant)
      assert.ok(sent.includes(value), `${operationId} told ${tenant} of ${value}, which is ${owner}'s`);
    return owner === undefined;
  };

  const checkSecrets = (tenant: string, told: Told, text: string): void => {
    const { operationId, sent } = told;
    for (const [value] of text.matchAll(WEBHOOK_SECRET)) {
      if (sent.includes(value)) continue;
      assert.ok(TELLS_SECRETS.has(operationId), `${operationId} told a webhook's secret`);
      assert.ok(!secrets.has(value), `${operationId} told a secret for the second time`);
      secrets.add(value);
      note(tenant, "secret", value);
    }
    for (const [value] of [...text.matchAll(LIVE_CODE), ...text.matchAll(TEST_CODE)]) {
      if (sent.includes(value)) continue;
      assert.ok(TELLS_CODES.has(operationId), `${operationId} told a code`);
      // Two tenants that use one idempotency key rightly have the same test codes.
      if (!value.startsWith("TEST-")) claim(tenant, told, value);
    }
    for (const [value] of text.matchAll(API_KEY))
      assert.ok(sent.includes(value), `${operationId} told an API key`);
  };

  return {
    tenants,
    note,
    forget(tenant, kind, value) {
      const pool = pools.get(`${tenant} ${kind}`) ?? [];
      // The last one stays, so that there is always one to draw.
      if (pool.length > 1 && pool.includes(value)) pool.splice(pool.indexOf(value), 1);
    },
    ownerOf: (id) => owners.get(id),
    recall(random, tenant, kind) {
      const pool = kind === "products" ? FUZZ_PRODUCTS : pools.get(`${tenant} ${kind}`);
      // Always one draw, so that what else is drawn does not depend on what has been told.
      return random.pick(pool ?? [`no-${kind}`]);
    },
    learn(tenant, told) {
      const text = `${JSON.stringify(told.reply.headers)}${told.reply.body}`;
      checkSecrets(tenant, told, text);
      for (const [id, prefix = ""] of text.matchAll(ID)) {
        if (claim(tenant, told, id)) note(tenant, KINDS[prefix] ?? prefix, id);
      }
      const cursor = /"nextCursor":"([^"]+)"/.exec(told.reply.body)?.[1];
      if (cursor !== undefined) {
        note(tenant, `cursor ${told.operationId}`, cursor);
        owners.set(cursor, tenant);
      }
      if (told.reply.headers.etag !== undefined) note(tenant, "etag", told.reply.headers.etag);
    },
  };
}
