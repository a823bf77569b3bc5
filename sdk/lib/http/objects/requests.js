import { count, list, object, optional, text } from "../shapes.js";
import { money } from "./common.js";
export const requestMembers = {
    id: text,
    createdAt: text,
    method: text,
    path: text,
    status: count,
    errorCode: optional(text),
    keyId: optional(text),
    keyHint: optional(text),
    address: text,
    durationMs: count,
};
export const loggedProblem = object({
    type: text,
    title: text,
    status: count,
    code: text,
    detail: text,
    request_id: text,
    errors: optional(list(object({ pointer: text, code: text, detail: text }))),
    orderStatus: optional(text),
    available: optional(count),
    currentTotal: optional(money),
    expectedTotal: optional(money),
    required: optional(money),
    balance: optional(money),
    orderId: optional(text),
    differs: optional(list(text)),
});
