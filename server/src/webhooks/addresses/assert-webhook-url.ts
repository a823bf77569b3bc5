import { Problem } from "../../lib/problem.ts";
import type { WebhookSettings } from "../settings.ts";
import { resolveWebhookHost } from "./resolve-webhook-host.ts";
import { parseWebhookUrl, WEBHOOK_URL_LENGTH_MAX, type WebhookUrlRefusal } from "./webhook-url.ts";

/**
 * Throws 422 for a URL that no webhook may be sent to (CONTRACT 6). A name that does not resolve passes, because
 * delivery asks again. The detail tells no address: what a name resolves to in here is not for the caller.
 */
export async function assertWebhookUrl(settings: WebhookSettings, text: string): Promise<void> {
  const parsed = parseWebhookUrl(text, settings.allowNetworks);
  if (!parsed.ok) throw notAllowed(REASONS[parsed.reason]);
  const { kind } = await resolveWebhookHost(parsed.hostname, settings);
  if (kind === "refused") throw notAllowed("The URL's host does not lead to public addresses alone.");
}

const REASONS: Readonly<Record<WebhookUrlRefusal, string>> = {
  too_long: `The URL is longer than ${WEBHOOK_URL_LENGTH_MAX} characters.`,
  characters: "The URL holds spaces, control characters or backslashes.",
  scheme: "The URL must begin with https://.",
  fragment: "The URL must not have a fragment.",
  userinfo: "The URL must not carry a user name or password.",
  port: "The URL's port must be 443, or one above 1023 that is not a well-known port of another service.",
  host_form:
    "The URL's host must be a plain name or address in its usual form; an international name in its xn-- form.",
  not_public: "The URL's address is not a public one.",
  reserved_name: "The URL's host is a name that means something inside a network only.",
};

const notAllowed = (detail: string): Problem =>
  new Problem("webhook_url_not_allowed", detail, {
    errors: [{ pointer: "/url", code: "not_allowed", detail }],
  });
