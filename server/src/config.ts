import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import { type IpRange, parseIpRange } from "./lib/ip.ts";
import { type AmountLimits, parseAmountLimits } from "./lib/money.ts";
import { type Secret, secret } from "./lib/secret.ts";
import { decodeMasterKey, MASTER_KEY_BYTES } from "./lib/settings/decode-master-key.ts";
import { readDepositInstructions } from "./lib/settings/deposit-instructions.ts";
import { type PricingConfig, readPricing } from "./lib/settings/pricing-config.ts";
import { splitDatabaseUrl } from "./lib/settings/split-database-url.ts";
import { withSecretFiles } from "./lib/settings/with-secret-files.ts";

/** All settings from the environment (CONTRACT 8, Settings), read and validated once. */
export type Config = PricingConfig & {
  production: boolean;
  databaseUrl: Secret<string> | undefined;
  dataDir: string;
  host: string;
  port: number;
  /** Set explicitly, and not to any free port. */
  portWasAsked: boolean;
  /** How many processes serve. 0 decides by the machine. */
  processes: number;
  publicUrl: string | undefined;
  /** Where the console listens. Port 0 disables it. */
  consoleHost: string;
  consolePort: number;
  /** Set explicitly by a port or an address. Then it must be served, or the start fails. */
  consolePortWasAsked: boolean;
  /** Where the operator's staff reach the console, when it is not where it listens. */
  consoleUrl: string | undefined;
  /** Above these amounts a movement of money in the console takes two people. Undefined takes one for all. */
  dualControlAbove: AmountLimits | undefined;
  /** How resellers pay for deposits, by currency; under "" for all others. */
  depositInstructions: Readonly<Record<string, string>>;
  /** Newest first. The first one seals; all of them open. */
  masterKeys: readonly Secret<Buffer>[];
  trustedProxies: readonly IpRange[];
  webhookEgressIps: readonly string[];
  webhookAllowNetworks: readonly IpRange[];
  /** The local address that webhooks are sent from. */
  webhookLocalAddress: string | undefined;
  webhookProxyUrl: Secret<string> | undefined;
  /** Requests per second for each key. 0 disables the limit. */
  rateLimits: { orders: number; reads: number; checks: number };
  smtpUrl: Secret<string> | undefined;
  mailFrom: string;
  logLevel: LogLevel;
  /** 0 disables it. The same number as PORT serves /metrics on the public port. */
  metricsPort: number;
  metricsHost: string;
  /** Set explicitly by a port or an address. Then it must be served, or the start fails. */
  metricsPortWasAsked: boolean;
};

export type LogLevel = (typeof LOG_LEVELS)[number];
export type Environment = Readonly<Record<string, string | undefined>>;

/** An invalid setting. The message is the one line that the operator sees. */
export class ConfigError extends Error {
  constructor(setting: string, reason: string) {
    super(`${setting} ${reason}`);
    this.name = "ConfigError";
  }
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
const DEFAULT_PORT = 8080;
const DEFAULT_METRICS_PORT = 9464;
const DEFAULT_CONSOLE_PORT = 8081;
const DEFAULT_RATE_PER_SECOND = 100;
/** Checks of the accounts of top-ups, for each reseller. */
const DEFAULT_CHECKS_PER_SECOND = 5;
const RATE_MAX_PER_SECOND = 1_000_000;
const PORT_MAX = 65_535;
/** Each has about 20 connections to the database. */
export const PROCESSES_MAX = 64;

/** Settings that can also be read from a file, with NAME_FILE. */
export const SECRET_SETTINGS = ["DATABASE_URL", "SCRIP_MASTER_KEY", "SMTP_URL", "WEBHOOK_PROXY_URL"] as const;

export function readConfig(environment: Environment): Config {
  const env = withSecretFiles(environment, SECRET_SETTINGS, readText, (...why) => new ConfigError(...why));
  const production = env.NODE_ENV === "production";
  const webhookAllowNetworks = readRanges(env, "WEBHOOK_ALLOW_NETWORKS");
  if (production && webhookAllowNetworks.length > 0) {
    throw new ConfigError(
      "WEBHOOK_ALLOW_NETWORKS",
      "must not be set when NODE_ENV is production: it lets webhooks reach internal addresses",
    );
  }
  const publicUrl = readOrigin(env, "PUBLIC_URL");
  return {
    production,
    databaseUrl: readDatabaseUrl(env),
    dataDir: resolve(value(env, "DATA_DIR") ?? ".scrip"),
    host: value(env, "HOST") ?? (production ? "0.0.0.0" : "127.0.0.1"),
    port: readInteger(env, "PORT", DEFAULT_PORT, PORT_MAX),
    portWasAsked: Number(value(env, "PORT") ?? 0) !== 0,
    processes: readInteger(env, "PROCESSES", 0, PROCESSES_MAX),
    publicUrl,
    ...readConsole(env),
    dualControlAbove: parsed(env, "CONSOLE_DUAL_CONTROL_ABOVE", parseAmountLimits),
    ...readPricing((name, parse) => parsed(env, name, parse)),
    depositInstructions: readDepositInstructions(env, (...why) => new ConfigError(...why)),
    masterKeys: readMasterKeys(env),
    trustedProxies: readRanges(env, "TRUSTED_PROXIES"),
    webhookEgressIps: list(env, "WEBHOOK_EGRESS_IPS").map((text) => {
      if (parseIpRange(text) === undefined || text.includes("/")) {
        throw new ConfigError("WEBHOOK_EGRESS_IPS", `contains "${text}", which is not an IP address`);
      }
      return text;
    }),
    webhookAllowNetworks,
    webhookLocalAddress: readAddress(env, "WEBHOOK_LOCAL_ADDRESS"),
    webhookProxyUrl: readProxyUrl(env),
    rateLimits: {
      orders: readInteger(env, "RATE_LIMIT_ORDERS", DEFAULT_RATE_PER_SECOND, RATE_MAX_PER_SECOND),
      reads: readInteger(env, "RATE_LIMIT_READS", DEFAULT_RATE_PER_SECOND, RATE_MAX_PER_SECOND),
      checks: readInteger(env, "RATE_LIMIT_CHECKS", DEFAULT_CHECKS_PER_SECOND, RATE_MAX_PER_SECOND),
    },
    smtpUrl: readSmtpUrl(env),
    mailFrom: readMailFrom(env, publicUrl),
    logLevel: readLogLevel(env),
    metricsPort: readInteger(env, "METRICS_PORT", DEFAULT_METRICS_PORT, PORT_MAX),
    metricsHost: readAddress(env, "METRICS_HOST") ?? "127.0.0.1",
    metricsPortWasAsked: (value(env, "METRICS_PORT") ?? value(env, "METRICS_HOST")) !== undefined,
  };
}

const readText = (path: string): string => readFileSync(path, "utf8");

/** An empty setting counts as unset: that is what `FOO= npm start` means. */
function value(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === "" ? undefined : text;
}

const list = (env: Environment, name: string): string[] =>
  (value(env, name) ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

function readInteger(env: Environment, name: string, fallback: number, max: number): number {
  const text = value(env, name);
  if (text === undefined) return fallback;
  if (!/^\d{1,9}$/.test(text) || Number(text) > max) {
    throw new ConfigError(name, `must be a whole number from 0 to ${max}, not "${text}"`);
  }
  return Number(text);
}

/** The value as it is parsed. What the parser refuses stops the start with its reason. */
function parsed<T>(env: Environment, name: string, parse: (text: string) => T): T | undefined {
  const text = value(env, name);
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigError(name, error.message);
  }
}

function readRanges(env: Environment, name: string): IpRange[] {
  return list(env, name).map((text) => {
    const range = parseIpRange(text);
    if (!range)
      throw new ConfigError(name, `contains "${text}", which is neither an IP address nor a CIDR range`);
    return range;
  });
}

function readUrl(env: Environment, name: string, protocols: readonly string[]): URL | undefined {
  const text = value(env, name);
  if (text === undefined) return undefined;
  // The value can contain a password, so the message does not quote it.
  if (!URL.canParse(text))
    throw new ConfigError(name, `must be a URL that starts with ${protocols.join(" or ")}//`);
  const url = new URL(text);
  if (!protocols.includes(url.protocol)) {
    throw new ConfigError(name, `must start with ${protocols.join(" or ")}//, not ${url.protocol}//`);
  }
  return url;
}

const readDatabaseUrl = (env: Environment): Secret<string> | undefined =>
  parsed(env, "DATABASE_URL", (text) => {
    splitDatabaseUrl(text);
    return secret(text);
  });

/** An address of ours: a scheme, a host and perhaps a port. */
function readOrigin(env: Environment, name: string): string | undefined {
  const url = readUrl(env, name, ["http:", "https:"]);
  if (!url) return undefined;
  if (url.search !== "" || url.hash !== "" || url.username + url.password !== "") {
    throw new ConfigError(name, "must be a URL without credentials, query or fragment");
  }
  if (!/^\/+$/.test(url.pathname)) {
    throw new ConfigError(
      name,
      `must not have a path such as ${url.pathname}: Scrip serves from the root of its host; give it its own host name`,
    );
  }
  return url.origin;
}

/** The console is never on a port that others reach it by accident on: neither the public one nor that of /metrics. */
function readConsole(
  env: Environment,
): Pick<Config, "consoleHost" | "consolePort" | "consolePortWasAsked" | "consoleUrl"> {
  const consolePort = readInteger(env, "CONSOLE_PORT", DEFAULT_CONSOLE_PORT, PORT_MAX);
  if (value(env, "CONSOLE_PORT") !== undefined && consolePort !== 0)
    for (const other of ["PORT", "METRICS_PORT"])
      if (Number(value(env, other)) === consolePort)
        throw new ConfigError("CONSOLE_PORT", `must not be the same as ${other}`);
  return {
    consoleHost: readAddress(env, "CONSOLE_HOST") ?? "127.0.0.1",
    consolePort,
    consolePortWasAsked: (value(env, "CONSOLE_PORT") ?? value(env, "CONSOLE_HOST")) !== undefined,
    consoleUrl: readOrigin(env, "CONSOLE_URL"),
  };
}

/** Where callers reach the server, as far as the settings say. Port 0 is any free port, which only the server knows. */
export const publicUrlOf = ({ publicUrl, port }: Config): string =>
  publicUrl ?? `http://localhost:${port || DEFAULT_PORT}`;

/** Where staff reach the console: letters and commands link to it. A passkey needs a name, so it is not an IP address. */
export const consoleUrlOf = ({ consoleUrl, consolePort }: Config): string =>
  consoleUrl ?? `http://localhost:${consolePort || DEFAULT_CONSOLE_PORT}`;

function readAddress(env: Environment, name: string): string | undefined {
  const text = value(env, name);
  if (text !== undefined && isIP(text) === 0)
    throw new ConfigError(name, `must be an IP address of this machine, not "${text}"`);
  return text;
}

function readProxyUrl(env: Environment): Secret<string> | undefined {
  const url = readUrl(env, "WEBHOOK_PROXY_URL", ["http:"]);
  if (!url) return undefined;
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "" || !hasReadableCredentials(url)) {
    throw new ConfigError("WEBHOOK_PROXY_URL", "must be of the form http://user:password@host:port");
  }
  return secret(url.href);
}

function readSmtpUrl(env: Environment): Secret<string> | undefined {
  const url = readUrl(env, "SMTP_URL", ["smtp:", "smtps:"]);
  if (!url) return undefined;
  if (
    url.hostname === "" ||
    !/^\/?$/.test(url.pathname) ||
    url.search !== "" ||
    !hasReadableCredentials(url)
  ) {
    throw new ConfigError("SMTP_URL", "must be of the form smtp://user:password@host:port");
  }
  return secret(url.href);
}

/** Otherwise a stray percent sign would only show up when they are used. */
function hasReadableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function readMailFrom(env: Environment, publicUrl: string | undefined): string {
  const text = value(env, "MAIL_FROM");
  if (text === undefined)
    return `scrip@${publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname}`;
  if (!/^(?:[^\s<>@",;]+@[^\s<>@",;]+|[^<>@",;\r\n]{1,100} <[^\s<>@",;]+@[^\s<>@",;]+>)$/.test(text)) {
    throw new ConfigError(
      "MAIL_FROM",
      "must be an email address such as scrip@example.com or Scrip <scrip@example.com>",
    );
  }
  return text;
}

function readMasterKeys(env: Environment): Secret<Buffer>[] {
  return list(env, "SCRIP_MASTER_KEY").map((text) => {
    const key = decodeMasterKey(text);
    if (!key) {
      throw new ConfigError(
        "SCRIP_MASTER_KEY",
        `must be ${MASTER_KEY_BYTES} bytes in base64 or hex; generate one with: openssl rand -base64 ${MASTER_KEY_BYTES}`,
      );
    }
    return secret(key);
  });
}

function readLogLevel(env: Environment): LogLevel {
  const text = value(env, "LOG_LEVEL") ?? "info";
  const level = LOG_LEVELS.find((known) => known === text);
  if (!level) throw new ConfigError("LOG_LEVEL", `must be one of ${LOG_LEVELS.join(", ")}, not "${text}"`);
  return level;
}
