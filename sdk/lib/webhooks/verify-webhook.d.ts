import type { Money } from "../types/common.js";
import { type RawBody } from "./sign-webhook.js";
/** An order's codes are ready to fetch, or it was refunded to the wallet. */
export type OrderEvent = {
    id: string;
    type: "order.fulfilled" | "order.refunded";
    created_at: string;
    /** `reference` is yours, if the order has one. A server of before this release sends neither it nor `environment`. */
    data: {
        order_id: string;
        status: string;
        reference?: string;
        environment?: string;
    };
};
/** A deposit arrived and was credited to the wallet. */
export type DepositEvent = {
    id: string;
    type: "deposit.credited";
    created_at: string;
    data: {
        deposit_id: string;
        amount: Money;
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
/** The balance fell below the threshold that you set. Amounts are in minor units. */
export type WalletEvent = {
    id: string;
    type: "wallet.low";
    created_at: string;
    data: {
        balance: Money;
        threshold: Money;
    };
};
/** An endpoint was disabled because every delivery failed. */
export type EndpointEvent = {
    id: string;
    type: "endpoint.disabled";
    created_at: string;
    data: {
        webhook_id: string;
        failing_since: string;
    };
};
/** An API key was created, rolled or revoked. */
export type KeyEvent = {
    id: string;
    type: "key.created" | "key.revoked";
    created_at: string;
    data: {
        key_id: string;
        key_hint: string;
        replaces_key_id?: string;
    };
};
/** Your catalog has changed: ask for the changes. Sent only to endpoints that name it. */
export type CatalogEvent = {
    id: string;
    type: "catalog.changed";
    created_at: string;
    data: {
        noticed_at: string;
    };
};
/** Later versions of the API can send more types. Respond with 2xx to unknown types as well. */
export type WebhookEvent = OrderEvent | DepositEvent | TestEvent | WalletEvent | EndpointEvent | KeyEvent | CatalogEvent;
export type WebhookHeaders = {
    get(name: string): string | null;
} | Readonly<Record<string, string | readonly string[] | undefined>>;
export type VerifyWebhookOptions = {
    /** How far the signature's time can be from now, in the past or in the future. */
    toleranceSeconds?: number;
    /** Milliseconds since 1970. */
    now?: () => number;
};
export type WebhookVerificationReason = "missing_header" | "malformed_header" | "timestamp_outside_tolerance" | "no_matching_signature" | "malformed_body";
/** Why a delivery cannot be trusted. The message quotes nothing of the delivery and never a secret. */
export declare class WebhookVerificationError extends Error {
    readonly reason: WebhookVerificationReason;
    constructor(reason: WebhookVerificationReason, message: string);
}
/**
 * Verifies the signature of a delivery and returns its event (SPEC.md, Events). Pass the raw body. During a rotation pass the
 * old secret and the new one.
 */
export declare function verifyWebhook(rawBody: RawBody, headers: WebhookHeaders, secret: string | readonly string[], { toleranceSeconds, now }?: VerifyWebhookOptions): Promise<WebhookEvent>;
