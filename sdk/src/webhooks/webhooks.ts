import type { Connection } from "../http/connection.ts";
import type { Listing } from "../http/listing.ts";
import { perform } from "../http/perform.ts";
import { read, readList, segment } from "../http/read.ts";
import { REPLIES } from "../http/replies.ts";
import type { Shape } from "../http/shapes.ts";
import type { CallOptions, PageFilters } from "../types/common.ts";
import { verifyWebhook } from "./verify-webhook.ts";
import type {
  Delivery,
  DeliveryFilters,
  RecoverInput,
  Recovery,
  RegisteredWebhook,
  RegisterWebhookInput,
  RotatedSecret,
  RotateSecretInput,
  UpdateWebhookInput,
  Webhook,
} from "./webhook-types.ts";

/**
 * `register`, `rotate`, `test`, `recover` and `redeliver` are not idempotent. They are retried only when the API says that it has
 * not started, and not when a response was lost.
 */
export type WebhookMethods = {
  register(input: RegisterWebhookInput, options?: CallOptions): Promise<RegisteredWebhook>;
  list(filters?: PageFilters, options?: CallOptions): Listing<Webhook>;
  get(id: string, options?: CallOptions): Promise<Webhook>;
  update(id: string, changes: UpdateWebhookInput, options?: CallOptions): Promise<Webhook>;
  remove(id: string, options?: CallOptions): Promise<void>;
  rotate(id: string, input?: RotateSecretInput, options?: CallOptions): Promise<RotatedSecret>;
  /** Sends a `webhook.test` like any other event. `deliveries` shows the result. */
  test(id: string, options?: CallOptions): Promise<Delivery>;
  deliveries(id: string, filters?: DeliveryFilters, options?: CallOptions): Listing<Delivery>;
  /** Delivers events that the endpoint has not received. */
  recover(id: string, input: RecoverInput, options?: CallOptions): Promise<Recovery>;
  /** The addresses that deliveries are sent from. */
  egressIps(options?: CallOptions): Promise<string[]>;
  /** Verifies a delivery that you received and returns its event. Sends no request. */
  verify: typeof verifyWebhook;
};

export type DeliveryMethods = {
  /** Starts the delivery again, regardless of its status. */
  redeliver(id: string, options?: CallOptions): Promise<Delivery>;
};

export function webhookMethods(connection: Connection): WebhookMethods {
  const pathOf = (id: string) => `/v1/webhooks/${segment(id)}`;
  return {
    register: async (body, options) =>
      post(
        connection,
        { path: "/v1/webhooks", body, expected: 201, shape: REPLIES.registerWebhook },
        options,
      ),
    list: (filters, options) =>
      readList(connection, () => "/v1/webhooks", REPLIES.listWebhooks, filters, options),
    get: async (id, options) => (await read(connection, pathOf(id), REPLIES.getWebhook, options)).webhook,
    update: async (id, changes, options) => update(connection, pathOf(id), changes, options),
    remove: async (id, options) => remove(connection, pathOf(id), options),
    rotate: async (id, body, options) =>
      post(connection, { path: `${pathOf(id)}/rotate`, body, shape: REPLIES.rotateWebhookSecret }, options),
    test: async (id, options) =>
      (await post(connection, { path: `${pathOf(id)}/test`, shape: REPLIES.testWebhook }, options)).delivery,
    deliveries: (id, filters, options) =>
      readList(connection, () => `${pathOf(id)}/deliveries`, REPLIES.listWebhookDeliveries, filters, options),
    recover: async (id, body, options) =>
      post(connection, { path: `${pathOf(id)}/recover`, body, shape: REPLIES.recoverWebhook }, options),
    egressIps: async (options) =>
      (await read(connection, "/v1/webhooks/egress-ips", REPLIES.listWebhookEgressIps, options)).data,
    verify: verifyWebhook,
  };
}

export const deliveryMethods = (connection: Connection): DeliveryMethods => ({
  redeliver: async (id, options) => {
    const call = { path: `/v1/deliveries/${segment(id)}/redeliver`, shape: REPLIES.redeliver };
    return (await post(connection, call, options)).delivery;
  },
});

async function post<T>(
  connection: Connection,
  call: { path: string; body?: unknown; expected?: number; shape: Shape<T> },
  options: CallOptions | undefined,
): Promise<T> {
  const once = { method: "POST", expected: 200, isRepeatable: false, ...call } as const;
  return (await perform(connection, once, options)).value;
}

async function update(
  connection: Connection,
  path: string,
  body: UpdateWebhookInput,
  options: CallOptions | undefined,
): Promise<Webhook> {
  const shape = REPLIES.changeWebhook;
  const call = { method: "PATCH", path, body, expected: 200, shape, isRepeatable: true } as const;
  return (await perform(connection, call, options)).value.webhook;
}

async function remove(connection: Connection, path: string, options: CallOptions | undefined): Promise<void> {
  const shape = REPLIES.removeWebhook;
  const call = { method: "DELETE", path, expected: 200, shape, isRepeatable: true, whenGone: {} } as const;
  await perform(connection, call, options);
}
