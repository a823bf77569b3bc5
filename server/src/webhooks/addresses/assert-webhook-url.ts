import { Problem } from "../../lib/problem.ts";
import type { WebhookSettings } from "../settings.ts";
import { resolveWebhookHost } from "./resolve-webhook-host.ts";
import { parseWebhookUrl, WEBHOOK_URL_LENGTH_MAX, type WebhookUrlRefusal } from "./webhook-url.ts";

/**
 * Throws 422 for a URL that webhooks must not be sent to (CONTRACT 6). A name that does not resolve passes, because it is
 * resolved again at delivery. The detail names no address: what a name resolves to inside our network is not for the caller.
 */
export async function assertWebhookUrl(settings: WebhookSettings, text: string): Promise<void> {
  const parsed = parseWebhookUrl(text, settings.allowNetworks);
  if (!parsed.ok) throw notAllowed(REASONS[parsed.reason]);
  const { kind } = await resolveWebhookHost(parsed.hostname, settings);
  if (kind === "refused") throw notAllowed("The URL's host must resolve to public addresses only.");
}

const REASONS: Readonly<Record<WebhookUrlRefusal, string>> = {
  too_long: `The URL is longer than ${WEBHOOK_URL_LENGTH_MAX} characters.`,
  characters: "The URL must not contain spaces, control characters or backslashes.",
  scheme: "The URL must start with https://.",
  fragment: "The URL must not have a fragment.",
  userinfo: "The URL must not contain a user name or password.",
  port: "The URL's port must be 443, or a port above 1023 that is not well known for another service.",
  host_form:
    "The URL's host must be a name or address in its canonical form; an internationalized name in its xn-- form.",
  not_public: "The URL's address must be public.",
  reserved_name: "The URL's host is a name that only works inside a network.",
};

const notAllowed = (detail: string): Problem =>
  new Problem("webhook_url_not_allowed", detail, {
    errors: [{ pointer: "/url", code: "not_allowed", detail }],
  });
