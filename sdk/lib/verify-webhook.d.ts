import { type RawBody } from "./sign-webhook.js";
/** An order's codes are ready to fetch, or its money is back in the wallet. */
export type OrderEvent = {
    id: string;
    type: "order.fulfilled" | "order.refunded";
    created_at: string;
    data: {
        order_id: string;
        status: string;
    };
};
/** What `webhooks.test` sends. */
export type TestEvent = {
    id: string;
    type: "webhook.test";
    created_at: string;
    data: {
        webhook_id: string;
    };
};
/** Later versions of the API may send further types: answer those you do not know with 2xx as well. */
export type WebhookEvent = OrderEvent | TestEvent;
export type WebhookHeaders = {
    get(name: string): string | null;
} | Readonly<Record<string, string | readonly string[] | undefined>>;
export type VerifyWebhookOptions = {
    /** How far the signature's time may be from now, in the past and in the future. */
    toleranceSeconds?: number;
    /** Milliseconds since 1970. */
    now?: () => number;
};
export type WebhookVerificationReason = "missing_header" | "malformed_header" | "timestamp_outside_tolerance" | "no_matching_signature" | "malformed_body";
/** Why a delivery is not to be believed. Its message quotes nothing of the delivery, and never a secret. */
export declare class WebhookVerificationError extends Error {
    readonly reason: WebhookVerificationReason;
    constructor(reason: WebhookVerificationReason, message: string);
}
/**
 * The event of a delivery, once its signature is proven (SPEC.md, Events). Give it the body exactly as it arrived, and of
 * a secret that is being rotated the old one and the new one.
 */
export declare function verifyWebhook(rawBody: RawBody, headers: WebhookHeaders, secret: string | readonly string[], { toleranceSeconds, now }?: VerifyWebhookOptions): Promise<WebhookEvent>;
