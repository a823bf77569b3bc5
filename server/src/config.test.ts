import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  type Config,
  ConfigError,
  consoleUrlOf,
  type Environment,
  readConfig,
  SECRET_SETTINGS,
} from "./config.ts";
import { isInAnyRange, parseIp } from "./lib/ip.ts";

const PASSWORD = "hunter2-correct-horse";
const MASTER_KEY = Buffer.alloc(32, 5);

test("an empty environment gives a working server on this machine", () => {
  const config = readConfig({});
  assert.equal(config.production, false);
  assert.equal(config.databaseUrl, undefined);
  assert.equal(config.dataDir, resolve(".scrip"));
  assert.equal(config.host, "127.0.0.1");
  assert.equal(config.port, 8080);
  assert.equal(config.processes, 0);
  assert.equal(config.publicUrl, undefined);
  assert.deepEqual(config.masterKeys, []);
  assert.deepEqual(config.trustedProxies, []);
  assert.deepEqual(config.webhookEgressIps, []);
  assert.deepEqual(config.webhookAllowNetworks, []);
  assert.equal(config.webhookLocalAddress, undefined);
  assert.equal(config.webhookProxyUrl, undefined);
  assert.deepEqual(config.rateLimits, { orders: 100, reads: 100, checks: 5 });
  assert.equal(config.smtpUrl, undefined);
  assert.equal(config.mailFrom, "scrip@localhost");
  assert.equal(config.logLevel, "info");
  assert.equal(config.metricsPort, 9464);
  assert.equal(config.metricsHost, "127.0.0.1");
  assert.equal(config.metricsPortWasAsked, false);
});

test("an empty or blank setting counts as unset", () => {
  for (const blank of ["", "  "]) {
    const config = readConfig(
      Object.fromEntries(["HOST", "DATA_DIR", ...Object.keys(BAD)].map((name) => [name, blank])),
    );
    assert.deepEqual(config, readConfig({}));
  }
});

/** A setting, its value, and what the configuration must contain. */
const GOOD: readonly (readonly [Environment, (config: Config) => unknown, unknown])[] = [
  [{ NODE_ENV: "production" }, (config) => config.production, true],
  [{ NODE_ENV: "production" }, (config) => config.host, "0.0.0.0"],
  [{ NODE_ENV: "production", HOST: "10.0.0.1" }, (config) => config.host, "10.0.0.1"],
  [{ DATABASE_URL: "postgres://u:p@h/d" }, (config) => config.databaseUrl?.reveal(), "postgres://u:p@h/d"],
  [
    { DATABASE_URL: " postgresql://u:p@a:5432,b:5432/d?sslmode=require " },
    (config) => config.databaseUrl?.reveal(),
    "postgresql://u:p@a:5432,b:5432/d?sslmode=require",
  ],
  [
    { DATABASE_URL: "postgres://u:p%2C@[::1]:5432,b/d?target_session_attrs=read-write" },
    (config) => config.databaseUrl?.reveal(),
    "postgres://u:p%2C@[::1]:5432,b/d?target_session_attrs=read-write",
  ],
  [{ DATA_DIR: "/var/lib/scrip" }, (config) => config.dataDir, "/var/lib/scrip"],
  [{ DATA_DIR: "data" }, (config) => config.dataDir, resolve("data")],
  [{ PORT: "0" }, (config) => config.port, 0],
  [{ PORT: "65535" }, (config) => config.port, 65_535],
  [{ PUBLIC_URL: "https://api.example.com/" }, (config) => config.publicUrl, "https://api.example.com"],
  [{ PUBLIC_URL: "https://api.example.com?" }, (config) => config.publicUrl, "https://api.example.com"],
  [{}, consoleUrlOf, "http://localhost:8081"],
  [{ CONSOLE_PORT: "9000" }, consoleUrlOf, "http://localhost:9000"],
  [{ CONSOLE_PORT: "0" }, consoleUrlOf, "http://localhost:8081"],
  [{}, ({ consoleHost, consolePort }) => [consoleHost, consolePort], ["127.0.0.1", 8081]],
  [{}, (config) => config.consolePortWasAsked, false],
  [{ CONSOLE_HOST: "::1" }, (config) => [config.consoleHost, config.consolePortWasAsked], ["::1", true]],
  [{ CONSOLE_PORT: "0", PORT: "0" }, (config) => config.consolePort, 0],
  [{ CONSOLE_URL: "https://console.example.com/" }, consoleUrlOf, "https://console.example.com"],
  [{ PUBLIC_URL: "http://localhost:9//" }, (config) => config.publicUrl, "http://localhost:9"],
  [{ CONSOLE_DUAL_CONTROL_ABOVE: "1000" }, (config) => config.dualControlAbove?.others, "1000"],
  [{}, (config) => config.dualControlAbove, undefined],
  [
    {},
    ({ pricing, maxLoss }) => [pricing, maxLoss.others],
    [{ rateMaxAgeMs: 86_400_000, bufferBp: 0, autoPublishWithinBp: 300 }, "0"],
  ],
  [
    { FX_MAX_AGE: "90m", FX_BUFFER: "150", PRICE_AUTO_PUBLISH_WITHIN: "0" },
    ({ pricing }) => pricing,
    { rateMaxAgeMs: 5_400_000, bufferBp: 150, autoPublishWithinBp: 0 },
  ],
  [
    { FX_RATES_URL: "https://rates.example.com/daily.xml?key=1" },
    ({ ratesUrl }) => ratesUrl,
    "https://rates.example.com/daily.xml?key=1",
  ],
  [
    { FX_RATES_URL: "http://127.0.0.1:1/daily.xml" },
    ({ ratesUrl }) => ratesUrl,
    "http://127.0.0.1:1/daily.xml",
  ],
  [{}, (config) => config.productsLeftMax, 10],
  [{ PRODUCTS_LEFT_SALE_ALERT: "0" }, (config) => config.productsLeftMax, 0],
  [{ MAX_LOSS: "USD:0.50" }, ({ maxLoss }) => maxLoss.named.get("USD"), 50n],
  [{ RATE_LIMIT_ORDERS: "0" }, (config) => config.rateLimits, { orders: 0, reads: 100, checks: 5 }],
  [
    { RATE_LIMIT_READS: "1000000", RATE_LIMIT_CHECKS: "0" },
    (config) => config.rateLimits,
    { orders: 100, reads: 1_000_000, checks: 0 },
  ],
  [{ SMTP_URL: "smtps://u:p@mail:465" }, (config) => config.smtpUrl?.reveal(), "smtps://u:p@mail:465"],
  [{ SMTP_URL: "smtp://[::1]:2525" }, (config) => config.smtpUrl?.reveal(), "smtp://[::1]:2525"],
  [{ PUBLIC_URL: "https://api.example.com:8443" }, (config) => config.mailFrom, "scrip@api.example.com"],
  [{ MAIL_FROM: "a@b.example" }, (config) => config.mailFrom, "a@b.example"],
  [{ MAIL_FROM: "Our Scrip <a@b.example>" }, (config) => config.mailFrom, "Our Scrip <a@b.example>"],
  [{ WEBHOOK_LOCAL_ADDRESS: "192.0.2.7" }, (config) => config.webhookLocalAddress, "192.0.2.7"],
  [{ WEBHOOK_LOCAL_ADDRESS: "2001:db8::7" }, (config) => config.webhookLocalAddress, "2001:db8::7"],
  [
    { WEBHOOK_PROXY_URL: "http://u:p%40@egress:3128" },
    (config) => config.webhookProxyUrl?.reveal(),
    "http://u:p%40@egress:3128/",
  ],
  [{ LOG_LEVEL: "silent" }, (config) => config.logLevel, "silent"],
  [{ METRICS_PORT: "0" }, (config) => [config.metricsPort, config.metricsPortWasAsked], [0, true]],
  [
    { METRICS_HOST: "0.0.0.0" },
    (config) => [config.metricsHost, config.metricsPortWasAsked],
    ["0.0.0.0", true],
  ],
  [{ METRICS_HOST: "::" }, (config) => config.metricsHost, "::"],
  [
    { WEBHOOK_EGRESS_IPS: "192.0.2.1, 2001:db8::1," },
    (config) => config.webhookEgressIps,
    ["192.0.2.1", "2001:db8::1"],
  ],
  [{ WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" }, (config) => config.webhookAllowNetworks.length, 1],
  [{ NODE_ENV: "production", WEBHOOK_ALLOW_NETWORKS: "" }, (config) => config.webhookAllowNetworks, []],
];

test("each setting has its effect", () => {
  for (const [env, read, expected] of GOOD)
    assert.deepEqual(read(readConfig(env)), expected, JSON.stringify(env));
});

test("TRUSTED_PROXIES is a list of addresses and ranges", () => {
  const { trustedProxies } = readConfig({ TRUSTED_PROXIES: "10.0.0.0/8,::1 , 192.0.2.7" });
  const trusts = (text: string) => isInAnyRange(parseIp(text) ?? new Uint8Array(), trustedProxies);
  assert.deepEqual(["10.9.9.9", "::1", "192.0.2.7", "192.0.2.8", "::2"].map(trusts), [
    true,
    true,
    true,
    false,
    false,
  ]);
});

test("SCRIP_MASTER_KEY is base64 or hex, several newest first", () => {
  const older = Buffer.alloc(32, 6);
  const spellings = [
    MASTER_KEY.toString("hex"),
    MASTER_KEY.toString("base64"),
    MASTER_KEY.toString("base64url"),
  ];
  for (const spelling of spellings) {
    const { masterKeys } = readConfig({ SCRIP_MASTER_KEY: `${spelling},${older.toString("hex")}` });
    assert.deepEqual(
      masterKeys.map((key) => key.reveal()),
      [MASTER_KEY, older],
    );
  }
});

const BAD: Readonly<Record<string, readonly string[]>> = {
  DATABASE_URL: [
    "mysql://h/d",
    "h:5432/d",
    `u:${PASSWORD}@h/d`,
    `http://u:${PASSWORD}@h/d`,
    `postgres://u:${PASSWORD}@a:5432,/d`,
    `postgres://u:${PASSWORD}@a:99999/d`,
    `postgres://u:${PASSWORD}@a,b/d?target_session_attrs=standby`,
  ],
  PORT: ["-1", "65536", "80a", "8080.0", "1e3", "0x50", "９", "99999999999999999999"],
  PROCESSES: ["-1", "65", "all", "1.5"],
  PUBLIC_URL: [
    "api.example.com",
    "ftp://example.com",
    "https://",
    "https://h/?a=1",
    "https://h/#a",
    `https://u:${PASSWORD}@h/`,
    `https://:${PASSWORD}@h/`,
    "https://h/scrip",
  ],
  CONSOLE_PORT: ["x", "-1", "65536", "1.5"],
  CONSOLE_HOST: ["localhost", "10.0.0.0/8"],
  CONSOLE_DUAL_CONTROL_ABOVE: ["much", "USD", "JPY:1.5", "1,2"],
  FX_MAX_AGE: ["24", "0h", "a day", "-1h"],
  FX_RATES_URL: ["daily.xml", "http://h/daily.xml", `https://u:${PASSWORD}@h/`, "ftp://h/daily.xml"],
  FX_BUFFER: ["1%", "-1", "10001"],
  PRICE_AUTO_PUBLISH_WITHIN: ["3.5", "20000"],
  MAX_LOSS: ["some", "-1"],
  PRODUCTS_LEFT_SALE_ALERT: ["many", "-1", "1.5"],
  CONSOLE_URL: ["console.example.com", `https://u:${PASSWORD}@h/`, "https://h/console"],
  SCRIP_MASTER_KEY: [
    "short",
    PASSWORD,
    MASTER_KEY.toString("hex").slice(1),
    `${MASTER_KEY.toString("hex")},${PASSWORD}`,
  ],
  TRUSTED_PROXIES: ["*", "true", "10.0.0.0/33", "10.0.0.1;10.0.0.2", "proxy.example.com"],
  WEBHOOK_EGRESS_IPS: ["192.0.2.0/24", "egress.example.com", "192.0.2.1 192.0.2.2"],
  WEBHOOK_ALLOW_NETWORKS: ["127.0.0.0/99", "localhost"],
  RATE_LIMIT_ORDERS: ["-1", "ten", "1000001", "1.5"],
  RATE_LIMIT_READS: ["-1", "100/s", "1000001"],
  RATE_LIMIT_CHECKS: ["-1", "5/s", "1000001"],
  WEBHOOK_LOCAL_ADDRESS: [
    "0.0.0.0/0",
    "eth0",
    "192.0.2.1,192.0.2.2",
    "localhost",
    "192.0.2.1:80",
    "fe80::1/64",
  ],
  WEBHOOK_PROXY_URL: [
    "egress:3128",
    `https://u:${PASSWORD}@egress:3128`,
    `socks5://u:${PASSWORD}@egress`,
    `http://u:${PASSWORD}@egress/path`,
    `http://u:${PASSWORD}@egress?a=1`,
    `http://u:${PASSWORD}%zz@egress`,
  ],
  SMTP_URL: [
    "mail.example.com",
    `http://u:${PASSWORD}@mail`,
    `u:${PASSWORD}@mail`,
    "smtp://u:p@[bad",
    "smtp://",
    `smtp://u:${PASSWORD}%zz@mail`,
    `smtp://u:${PASSWORD}@mail/?tls.rejectUnauthorized=false`,
  ],
  MAIL_FROM: ["scrip", "a@b, c@d", "Scrip <a@b", "a b@c", "A\nBcc: x@y <a@b>"],
  LOG_LEVEL: ["verbose", "INFO", "30"],
  METRICS_PORT: ["-1", "65536", "off"],
  METRICS_HOST: ["localhost", "*", "0.0.0.0:9464", "10.0.0.0/8"],
};

test("an invalid value stops the start with one line that names the setting and quotes no password", () => {
  for (const [name, values] of Object.entries(BAD)) {
    for (const value of values) {
      const error = refusal({ [name]: value });
      assert.ok(error.message.startsWith(`${name} `), `${value}: ${error.message}`);
      assert.doesNotMatch(error.message, /\n/);
      assert.equal(inspect(error).includes(PASSWORD), false, error.message);
    }
  }
});

test("each secret can come from a file, and an invalid one is refused without quoting it", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "scrip secrets "));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = async (text: string) => {
    const path = join(folder, "secret");
    await writeFile(path, text);
    return path;
  };
  const older = Buffer.alloc(32, 6);
  const keys = await file(`${MASTER_KEY.toString("base64")}\n${older.toString("base64")}\n`);
  const { masterKeys } = readConfig({ SCRIP_MASTER_KEY_FILE: keys });
  assert.deepEqual(
    masterKeys.map((key) => key.reveal()),
    [MASTER_KEY, older],
  );
  const url = await file("postgres://u:p@h/d\n");
  assert.equal(readConfig({ DATABASE_URL_FILE: url }).databaseUrl?.reveal(), "postgres://u:p@h/d");
  for (const name of SECRET_SETTINGS) {
    const error = refusal({ [`${name}_FILE`]: await file(PASSWORD) });
    assert.ok(error.message.startsWith(`${name} `), error.message);
    assert.equal(inspect(error).includes(PASSWORD), false, error.message);
  }
});

test("WEBHOOK_ALLOW_NETWORKS is refused in production", () => {
  const error = refusal({ NODE_ENV: "production", WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" });
  assert.match(error.message, /^WEBHOOK_ALLOW_NETWORKS .*production/);
});

test("a printed configuration shows no password and no master key", () => {
  const config = readConfig({
    DATABASE_URL: `postgres://scrip:${PASSWORD}@db/scrip`,
    SMTP_URL: `smtp://scrip:${PASSWORD}@mail`,
    WEBHOOK_PROXY_URL: `http://scrip:${PASSWORD}@egress:3128`,
    SCRIP_MASTER_KEY: MASTER_KEY.toString("base64"),
  });
  const printed = `${inspect(config, { depth: null, showHidden: true })} ${JSON.stringify(config)}`;
  assert.equal(printed.includes(PASSWORD), false);
  for (const encoding of ["base64", "hex"] as const) {
    assert.equal(printed.includes(MASTER_KEY.toString(encoding)), false);
  }
});

function refusal(env: Environment): ConfigError {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error;
  }
  return assert.fail(`${JSON.stringify(env)} was accepted`);
}

test("the console has a port of its own", () => {
  for (const other of ["PORT", "METRICS_PORT"])
    assert.throws(() => readConfig({ CONSOLE_PORT: "9000", [other]: "9000" }), {
      name: "ConfigError",
      message: `CONSOLE_PORT must not be the same as ${other}`,
    });
});

test("DEPOSIT_INSTRUCTIONS is a text for all currencies, or for the one in its name", () => {
  const read = (env: Record<string, string>) => readConfig(env).depositInstructions;
  assert.deepEqual(read({}), {});
  assert.deepEqual(
    read({
      DEPOSIT_INSTRUCTIONS: "Pay {amount}\\nto us",
      DEPOSIT_INSTRUCTIONS_EUR: " IBAN ",
      DEPOSIT_INSTRUCTIONS_USD: "",
    }),
    { "": "Pay {amount}\nto us", EUR: "IBAN" },
  );
  assert.throws(
    () => read({ DEPOSIT_INSTRUCTIONS_EURO: "x" }),
    /DEPOSIT_INSTRUCTIONS_EURO must end in a currency/,
  );
  assert.throws(() => read({ DEPOSIT_INSTRUCTIONS: "x".repeat(4_001) }), /at most 4000 characters/);
});
