import type { LoggedProblem } from "../../types/requests.ts";
import { count, list, object, optional, text } from "../shapes.ts";
import { money } from "./common.ts";

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

export const loggedProblem = object<LoggedProblem>({
  type: text,
  title: text,
  status: count,
  code: text,
  detail: text,
  request_id: text,
  errors: optional(
    list(object<NonNullable<LoggedProblem["errors"]>[number]>({ pointer: text, code: text, detail: text })),
  ),
  orderStatus: optional(text),
  available: optional(count),
  currentTotal: optional(money),
  expectedTotal: optional(money),
  required: optional(money),
  balance: optional(money),
  orderId: optional(text),
  differs: optional(list(text)),
});
