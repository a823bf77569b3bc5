import type { FailingEndpoint } from "./failing-queries.ts";

/**
 * What an owner reads, in plain text. Of the URL only the host is told: paths and queries may hold what receivers use as
 * a password, and a letter goes through many hands.
 */
export function failingLetter(endpoint: FailingEndpoint): { subject: string; body: string } {
  const { told, id } = endpoint;
  const host = hostOf(endpoint.url);
  const since = `${endpoint.failingSince.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const count = `${endpoint.failures} ${endpoint.failures === 1 ? "attempt" : "attempts"}`;
  const which = `your webhook endpoint at ${host} (${id}, ${endpoint.environment})`;
  const failed = `has failed since ${since}: ${count}, not one of which was answered with a status of 2xx in time.`;
  const look = `How each attempt went: GET /v1/webhooks/${id}/deliveries`;
  if (told === "disabled") {
    return {
      subject: `Your webhook endpoint at ${host} was disabled`,
      body: paragraphs(
        `Every delivery to ${which} ${failed}`,
        "It was disabled, and nothing is sent to it any more. Events are kept for 30 days. To receive them again:",
        [
          `1. Mend the endpoint. ${look}`,
          `2. Enable it: PATCH /v1/webhooks/${id} with {"active": true}`,
          `3. Have what it missed sent: POST /v1/webhooks/${id}/recover with {"since": "${endpoint.failingSince.toISOString()}"}`,
        ].join("\n"),
      ),
    };
  }
  return {
    subject: `Your webhook endpoint at ${host} has been failing for ${told === "72h" ? "72" : "24"} hours`,
    body: paragraphs(
      `Every delivery to ${which} ${failed}`,
      `Please mend it. ${look}`,
      "Each event is tried again for about three days; once the endpoint answers, what waits follows by itself. What was " +
        `given up before can be sent again: POST /v1/webhooks/${id}/recover with {"since": "${endpoint.failingSince.toISOString()}"}`,
      "An endpoint that does nothing but fail for five days is disabled. It can then be enabled again: " +
        `PATCH /v1/webhooks/${id} with {"active": true}`,
    ),
  };
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? "an address that cannot be read";

const paragraphs = (...parts: string[]): string => `${parts.join("\n\n")}\n`;
