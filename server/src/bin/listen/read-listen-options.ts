import { type Environment, readConfig } from "../../config.ts";
import { isWellFormedKey, type KeyEnvironment, keyPrefix } from "../../keys/key-format.ts";
import { type Secret, secret } from "../../lib/secret.ts";
import { parseTime } from "../../lib/time.ts";
import { createWebhookSecret } from "../../webhooks/endpoints/webhook-secret.ts";
import { listed, type Options, required, text, UsageError } from "../verb.ts";

export type ListenSettings = {
  forwardTo: string;
  apiUrl: string;
  apiKey: Secret<string>;
  environment: KeyEnvironment;
  webhookSecret: Secret<string>;
  /** The developer has it already when it was given. */
  secretIsNew: boolean;
  /** All types when empty. */
  eventTypes: readonly string[] | undefined;
  /** Start at this time; by default now. */
  sinceMs: number | undefined;
  isJson: boolean;
};

const WEBHOOK_SECRET = /^whsec_[A-Za-z0-9+/=_-]{8,200}$/;
const URL_MAX_CHARACTERS = 2_048;
const DURATION = /^(\d{1,6})([smhd])$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** How far the caller's clock can be ahead. */
const CLOCK_SLACK_MS = 60_000;

/** No message quotes a value: if options were mixed up, it can be the key. */
export function readListenOptions(options: Options, env: Environment, nowMs: number): ListenSettings {
  const apiKey = readKey(text(options, "apiKey") ?? given(env.SCRIP_API_KEY));
  const webhookSecret = readSecret(text(options, "secret") ?? given(env.SCRIP_WEBHOOK_SECRET));
  return {
    forwardTo: readForwardTo(required(options, "forwardTo")),
    apiUrl: readApiUrl(text(options, "apiUrl"), env),
    apiKey: secret(apiKey),
    environment: apiKey.startsWith(keyPrefix("live")) ? "live" : "test",
    webhookSecret: webhookSecret ?? createWebhookSecret(),
    secretIsNew: webhookSecret === undefined,
    eventTypes: readEventTypes(text(options, "events")),
    sinceMs: readSince(text(options, "since"), nowMs),
    isJson: options.json === true,
  };
}

/** A setting that is empty counts as not set. */
const given = (value: string | undefined): string | undefined => value?.trim() || undefined;

function readKey(key: string | undefined): string {
  if (key === undefined) throw new UsageError("an API key is required: set SCRIP_API_KEY or use --api-key");
  if (isWellFormedKey(key)) return key;
  throw new UsageError(
    "the API key is invalid: it must be a complete key that starts with sc_test_ or sc_live_",
  );
}

function readSecret(value: string | undefined): Secret<string> | undefined {
  if (value === undefined) return undefined;
  if (WEBHOOK_SECRET.test(value)) return secret(value);
  throw new UsageError(
    "the signing secret must start with whsec_, followed by at least 8 characters of base64",
  );
}

function readForwardTo(value: string): string {
  const url = parseUrl(value);
  if (url && url.hash === "") return url.href;
  throw new UsageError(
    "--forward-to must be an http or https URL without credentials or fragment, such as http://localhost:3000/hook",
  );
}

function readApiUrl(value: string | undefined, env: Environment): string {
  if (value === undefined) return defaultApiUrl(env);
  const url = parseUrl(value);
  if (url && !/[?#]/.test(value)) return (url.origin + url.pathname).replace(/\/+$/, "");
  throw new UsageError(
    "--api-url must be an http or https URL without credentials, query or fragment, such as https://api.example.com",
  );
}

/** Where `scrip start` serves with the same settings. */
function defaultApiUrl(env: Environment): string {
  const { publicUrl, port } = readConfig({ PUBLIC_URL: env.PUBLIC_URL, PORT: env.PORT });
  if (publicUrl !== undefined) return publicUrl;
  if (port === 0) throw new UsageError("PORT is 0, so the port is unknown: use --api-url");
  return `http://localhost:${port}`;
}

function parseUrl(value: string): URL | undefined {
  if (value.length > URL_MAX_CHARACTERS || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  const isPlain = ["http:", "https:"].includes(url.protocol) && url.username + url.password === "";
  return isPlain ? url : undefined;
}

function readEventTypes(value: string | undefined): string[] | undefined {
  const types = listed(value);
  if (types?.length === 0)
    throw new UsageError("--events must be a list of types, such as order.fulfilled,order.refunded");
  return types;
}

function readSince(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const [, count = "", unit = ""] = DURATION.exec(value) ?? [];
  const sinceMs =
    count === "" ? parseTime(value)?.getTime() : nowMs - Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (sinceMs === undefined)
    throw new UsageError(
      "--since must be a time such as 2030-01-31T12:00:00Z or an age such as 30s, 10m, 2h, 1d",
    );
  if (sinceMs > nowMs + CLOCK_SLACK_MS) throw new UsageError("--since must not be in the future");
  return Math.max(0, sinceMs);
}
