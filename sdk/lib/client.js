import { catalogMethods, productMethods } from "./catalog.js";
import { depositMethods } from "./deposits.js";
import { encryptionKeyMethods } from "./encryption-key.js";
import { eventMethods, eventTypeMethods } from "./events.js";
import { openConnection } from "./http/connection.js";
import { read } from "./http/read.js";
import { REPLIES } from "./http/replies.js";
import { orderMethods } from "./orders.js";
import { requestMethods } from "./requests.js";
import { walletMethods } from "./wallet.js";
import { deliveryMethods, webhookMethods, } from "./webhooks/webhooks.js";
/** A failed call throws a `ScripError`. An invalid argument throws a `RangeError`. */
export function createClient(options) {
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
