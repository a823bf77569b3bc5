import { composeLetter } from "../../mail/compose-letter.ts";
import type { Letter } from "../../mail/queue-letter.ts";
import type { FailingEndpoint } from "./failing-queries.ts";

/**
 * The letter to an endpoint's owner. It names the host of the URL only: a path or query can hold something
 * that the receiver uses as a password. An outage has one letter of each kind.
 */
export function failingLetter(endpoint: FailingEndpoint): Omit<Letter, "to"> {
  const { told, id } = endpoint;
  const since = endpoint.failingSince.toISOString();
  const words = told === "disabled" ? disabledLetter(endpoint, since) : failingForHours(endpoint, since);
  const { to: _, ...letter } = composeLetter({ ...words, to: "", cause: "", footer: FOOTER });
  return { ...letter, cause: `endpoint ${id} failing since ${since}: ${told}` };
}

const FOOTER =
  "You receive this because your address is set for webhook endpoints in the settings of your reseller.";

type Words = { subject: string; paragraphs: string[] };

const disabledLetter = (endpoint: FailingEndpoint, since: string): Words => ({
  subject: `Your webhook endpoint at ${hostOf(endpoint.url)} was disabled`,
  paragraphs: [
    describe(endpoint),
    "We disabled the endpoint and no longer send anything to it. Events are kept for 30 days. To receive them again:",
    [
      `1. Fix the endpoint. ${seeAttempts(endpoint.id)}`,
      `2. Enable it: PATCH /v1/webhooks/${endpoint.id} with {"active": true}`,
      `3. Recover what it missed: ${recover(endpoint.id, since)}`,
    ].join("\n"),
  ],
});

const failingForHours = (endpoint: FailingEndpoint, since: string): Words => ({
  subject: `Your webhook endpoint at ${hostOf(endpoint.url)} has been failing for ${endpoint.told === "72h" ? "72" : "24"} hours`,
  paragraphs: [
    describe(endpoint),
    `Please fix it. ${seeAttempts(endpoint.id)}`,
    "We retry each event for about three days. As soon as the endpoint answers, waiting events are sent. To resend events " +
      `that we gave up on: ${recover(endpoint.id, since)}`,
    "An endpoint that fails every delivery for five days is disabled. You can enable it again: " +
      `PATCH /v1/webhooks/${endpoint.id} with {"active": true}`,
  ],
});

function describe({ id, url, environment, failingSince, failures }: FailingEndpoint): string {
  const time = `${failingSince.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const attempts = `${failures} ${failures === 1 ? "attempt" : "attempts"}`;
  return (
    `Every delivery to your webhook endpoint at ${hostOf(url)} (${id}, ${environment}) has failed since ${time}: ` +
    `${attempts}, and none was answered with a 2xx status in time.`
  );
}

const seeAttempts = (id: string): string => `See each attempt: GET /v1/webhooks/${id}/deliveries`;
const recover = (id: string, since: string): string =>
  `POST /v1/webhooks/${id}/recover with {"since": "${since}"}`;

const hostOf = (url: string): string => URL.parse(url)?.host ?? "an address that cannot be read";
