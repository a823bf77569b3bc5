import type { ScripEvent } from "@scrip/sdk";
import type { Forward } from "./forward-queue.ts";

/** One line for people, or two for the last failed attempt. */
export function describeForward(forward: Forward, at: Date): string {
  const { event, attempt, latencyMs, result } = forward;
  const columns = [timeOf(at), event.type.padEnd(TYPE_WIDTH), event.id, subjectOf(event)];
  const answer = `→ ${answerOf(forward)} in ${latencyMs} ms`;
  const line = printable(`${columns.filter((text) => text !== "").join("  ")}  `) + answer;
  if (result === "delivered") return line;
  if (forward.retryInMs !== undefined) return `${line}, retrying in ${forward.retryInMs / 1_000} s`;
  return `${line}, given up after ${attempt} attempts\n  to receive it again, restart with --since ${printable(event.created_at)}`;
}

/** One line of JSON, for programs. */
export const forwardJson = ({ event, ...forward }: Forward, at: Date): string =>
  JSON.stringify({
    at: at.toISOString(),
    eventId: event.id,
    type: event.type,
    createdAt: event.created_at,
    orderId: event.data.order_id,
    depositId: event.data.deposit_id,
    webhookId: event.data.webhook_id,
    keyId: event.data.key_id,
    attempt: forward.attempt,
    result: forward.result,
    status: forward.status,
    error: forward.error,
    latencyMs: forward.latencyMs,
    retryInMs: forward.retryInMs,
  });

const TYPE_WIDTH = "order.fulfilled".length;

/** In local time. */
const timeOf = (at: Date): string =>
  [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");

const subjectOf = ({ data }: ScripEvent): string =>
  data.order_id ?? data.deposit_id ?? data.webhook_id ?? data.key_id ?? "";

function answerOf({ status, error }: Forward): string {
  if (status === undefined) return (error ?? "connection_failed").replaceAll("_", " ");
  return status >= 300 && status < 400 ? `${status}, and redirects are not followed,` : String(status);
}

/** Text from the API must not control the terminal. */
const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, "?");
