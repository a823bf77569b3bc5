import type { Delivery, ScripEvent, Webhook } from "../../webhooks/webhook-types.js";
export declare const event: import("../shapes.js").Shape<ScripEvent>;
export declare const webhook: import("../shapes.js").Shape<Webhook>;
export declare const delivery: import("../shapes.js").Shape<Delivery>;
