import { perform } from "../http/perform.js";
import { read, readList, segment } from "../http/read.js";
import { REPLIES } from "../http/replies.js";
import { verifyWebhook } from "./verify-webhook.js";
export function webhookMethods(connection) {
    const pathOf = (id) => `/v1/webhooks/${segment(id)}`;
    return {
        register: async (body, options) => post(connection, { path: "/v1/webhooks", body, expected: 201, shape: REPLIES.registerWebhook }, options),
        list: (filters, options) => readList(connection, () => "/v1/webhooks", REPLIES.listWebhooks, filters, options),
        get: async (id, options) => (await read(connection, pathOf(id), REPLIES.getWebhook, options)).webhook,
        update: async (id, changes, options) => update(connection, pathOf(id), changes, options),
        remove: async (id, options) => remove(connection, pathOf(id), options),
        rotate: async (id, body, options) => post(connection, { path: `${pathOf(id)}/rotate`, body, shape: REPLIES.rotateWebhookSecret }, options),
        test: async (id, options) => (await post(connection, { path: `${pathOf(id)}/test`, shape: REPLIES.testWebhook }, options)).delivery,
        deliveries: (id, filters, options) => readList(connection, () => `${pathOf(id)}/deliveries`, REPLIES.listWebhookDeliveries, filters, options),
        recover: async (id, body, options) => post(connection, { path: `${pathOf(id)}/recover`, body, shape: REPLIES.recoverWebhook }, options),
        egressIps: async (options) => (await read(connection, "/v1/webhooks/egress-ips", REPLIES.listWebhookEgressIps, options)).data,
        verify: verifyWebhook,
    };
}
export const deliveryMethods = (connection) => ({
    redeliver: async (id, options) => {
        const call = { path: `/v1/deliveries/${segment(id)}/redeliver`, shape: REPLIES.redeliver };
        return (await post(connection, call, options)).delivery;
    },
});
async function post(connection, call, options) {
    const once = { method: "POST", expected: 200, isRepeatable: false, ...call };
    return (await perform(connection, once, options)).value;
}
async function update(connection, path, body, options) {
    const shape = REPLIES.changeWebhook;
    const call = { method: "PATCH", path, body, expected: 200, shape, isRepeatable: true };
    return (await perform(connection, call, options)).value.webhook;
}
async function remove(connection, path, options) {
    const shape = REPLIES.removeWebhook;
    const call = { method: "DELETE", path, expected: 200, shape, isRepeatable: true, whenGone: {} };
    await perform(connection, call, options);
}
