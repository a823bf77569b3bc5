import { type CatalogMethods, catalogMethods, type ProductMethods, productMethods } from "./catalog.ts";
import { type DepositMethods, depositMethods } from "./deposits.ts";
import { type EncryptionKeyMethods, encryptionKeyMethods } from "./encryption-key.ts";
import { type EventMethods, type EventTypeMethods, eventMethods, eventTypeMethods } from "./events.ts";
import { type ClientOptions, openConnection } from "./http/connection.ts";
import { read } from "./http/read.ts";
import { REPLIES } from "./http/replies.ts";
import { type OrderMethods, orderMethods } from "./orders.ts";
import { type RequestMethods, requestMethods } from "./requests.ts";
import type { CallOptions } from "./types/common.ts";
import type { Me } from "./types/me.ts";
import { type WalletMethods, walletMethods } from "./wallet.ts";
import {
  type DeliveryMethods,
  deliveryMethods,
  type WebhookMethods,
  webhookMethods,
} from "./webhooks/webhooks.ts";

export type Client = {
  /** The key that the client uses, its reseller and its limits. Any key can ask. */
  me(options?: CallOptions): Promise<Me>;
  catalog: CatalogMethods;
  products: ProductMethods;
  orders: OrderMethods;
  wallet: WalletMethods;
  deposits: DepositMethods;
  encryptionKey: EncryptionKeyMethods;
  webhooks: WebhookMethods;
  deliveries: DeliveryMethods;
  events: EventMethods;
  eventTypes: EventTypeMethods;
  requests: RequestMethods;
};

/** A failed call throws a `ScripError`. An invalid argument throws a `RangeError`. */
export function createClient(options: ClientOptions): Client {
  const connection = openConnection(options);
  return {
    me: async (options) => read(connection, "/v1/me", REPLIES.getMe, options),
    catalog: catalogMethods(connection),
    products: productMethods(connection),
    orders: orderMethods(connection),
    wallet: walletMethods(connection),
    deposits: depositMethods(connection),
    encryptionKey: encryptionKeyMethods(connection),
    webhooks: webhookMethods(connection),
    deliveries: deliveryMethods(connection),
    events: eventMethods(connection),
    eventTypes: eventTypeMethods(connection),
    requests: requestMethods(connection),
  };
}
