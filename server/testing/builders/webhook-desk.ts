import assert from "node:assert/strict";
import type { LightMyRequestResponse } from "fastify";
import type { EventView } from "../../src/events/event-schemas.ts";
import type { Tenant } from "../../src/http/caller.ts";
import type { WebhookView } from "../../src/webhooks/endpoints/schemas.ts";
import type { DeliveryView } from "../../src/webhooks/history/schemas.ts";
import type { WebhookSettings } from "../../src/webhooks/settings.ts";
import { DELIVERIES_CHANNEL } from "../../src/webhooks/settings.ts";
import { createTestApp, type TestApp, type TestAppOptions } from "../app/test-app.ts";
import { eventually } from "../eventually.ts";
import { createHandClock, type HandClock } from "../hand-clock.ts";

const CLOCK_AHEAD_MS = 3_600_000;

export type KeyOwner = Tenant & { key: string };

/** All fields that an operation can return. Every response is checked against its own schema. */
export type DeskReply = {
  webhook: WebhookView;
  secret: string;
  previousSecretExpiresAt: string;
  delivery: DeliveryView;
  event: EventView;
  recovered: number;
  data: (WebhookView & DeliveryView & EventView)[];
  hasMore: boolean;
  nextCursor: string;
};

/** An app with a reseller's two keys, another reseller's live key, and a manual clock. */
export type WebhookDesk = {
  scrip: TestApp;
  clock: HandClock;
  live: KeyOwner;
  sandbox: KeyOwner;
  stranger: KeyOwner;
  /** One request, with the reseller's live key by default. */
  ask(method: string, url: string, body?: unknown, owner?: KeyOwner): Promise<LightMyRequestResponse>;
  /** The same, and fails unless the response is 200. */
  get(method: string, url: string, body?: unknown, owner?: KeyOwner): Promise<DeskReply>;
  register(body?: object, owner?: KeyOwner): Promise<{ webhook: WebhookView; secret: string }>;
  /** Another reseller with a live key, for a test that must not see what others created. */
  addOwner(): Promise<KeyOwner>;
  /** Does the work, and waits until the workers have been notified that there is something to send. */
  tells<Result>(work: () => Promise<Result>): Promise<Result>;
};

export async function openWebhookDesk(
  webhooks: Partial<WebhookSettings> = {},
  options: Pick<TestAppOptions, "url"> = {},
): Promise<WebhookDesk> {
  // Ids never go back in time within a process, and request ids use the system clock.
  const clock = createHandClock(new Date(Date.now() + CLOCK_AHEAD_MS));
  const scrip = await createTestApp({ clock, webhooks, ...options });
  const ownerOf = async (resellerId: string, environment: "live" | "test"): Promise<KeyOwner> => {
    const { key } = await scrip.addKey(resellerId, { env: environment });
    return { resellerId, environment, key };
  };
  const addOwner = async (): Promise<KeyOwner> => ownerOf((await scrip.addReseller()).id, "live");
  const live = await addOwner();
  const ask: WebhookDesk["ask"] = (method, url, body, owner = live) =>
    scrip.call(method, url, { key: owner.key, ...(body === undefined ? {} : { body }) });

  return {
    scrip,
    clock,
    live,
    sandbox: await ownerOf(live.resellerId, "test"),
    stranger: await addOwner(),
    ask,
    async get(...request) {
      const reply = await ask(...request);
      assert.equal(reply.statusCode, 200, reply.body);
      return reply.json();
    },
    async register(body = { url: "https://hooks.example.com/" }, owner = live) {
      const reply = await ask("POST", "/v1/webhooks", body, owner);
      assert.equal(reply.statusCode, 201, reply.body);
      return reply.json();
    },
    addOwner,
    tells: (work) => tellsDuring(scrip, work),
  };
}

async function tellsDuring<Result>({ db }: TestApp, work: () => Promise<Result>): Promise<Result> {
  let heard = 0;
  const listener = db.listen(DELIVERIES_CHANNEL, () => {
    heard += 1;
  });
  try {
    // It calls back once when it starts to listen.
    await eventually("the listener listens", async () => heard || undefined);
    const before = heard;
    const result = await work();
    await eventually("the workers are notified", async () => heard > before || undefined);
    return result;
  } finally {
    await listener.close();
  }
}
