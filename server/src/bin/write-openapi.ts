import { createSecretKey } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import pino from "pino";
import { buildApp } from "../app.ts";
import type { Db } from "../db/database.ts";
import { createMetrics } from "../http/metrics.ts";
import { findBreaks } from "../http/openapi/breaks.ts";
import type { OpenApiDocument } from "../http/openapi/openapi.ts";
import { systemClock } from "../lib/clock.ts";
import { secret } from "../lib/secret.ts";
import { createCodeVault } from "../vault/code-vault.ts";
import { fixedKeyring } from "../vault/keyring.ts";

const COMMITTED = fileURLToPath(new URL("../../openapi.json", import.meta.url));

process.exitCode = await writeOpenApi(process.argv[2] ?? COMMITTED);

/**
 * `npm run openapi [-- FILE]`: writes the OpenAPI document of the current code. The committed document is a promise (SPEC.md,
 * Versioning), so a document that would break its clients is not written.
 */
async function writeOpenApi(file: string): Promise<number> {
  const committed = await readCommitted(file);
  const document = await describeApi();
  const breaks = committed ? findBreaks(committed, document) : [];
  if (breaks.length > 0) {
    process.stderr.write(
      `${file} was not written: it would break clients.\n${breaks.map((line) => `  ${line}\n`).join("")}` +
        "Keep the old next to the new, or make the change under a new version path.\n",
    );
    return 1;
  }
  await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
  return 0;
}

async function readCommitted(file: string): Promise<OpenApiDocument | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as OpenApiDocument;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The app is built but serves no request, so it needs no database. */
async function describeApi(): Promise<OpenApiDocument> {
  const anyKey = createSecretKey(Buffer.alloc(32));
  const keyring = fixedKeyring([secret(Buffer.alloc(32))]);
  const app = await buildApp({
    db: withoutDatabase(),
    secrets: { pepper: anyKey, cursorKey: anyKey, codeDigestKey: anyKey, accountKey: anyKey },
    keyring,
    codeVault: createCodeVault(keyring),
    clock: systemClock,
    log: pino({ level: "silent" }),
    metrics: createMetrics(),
    baseUrl: () => "http://localhost:8080",
    trustedProxies: [],
    rateLimits: { orders: 0, reads: 0 },
    webhooks: { egressIps: [], allowNetworks: [] },
    metricsArePublic: false,
    isReady: async () => true,
  });
  await app.ready();
  const document = app.openApi();
  await app.close();
  return document;
}

function withoutDatabase(): Db {
  const refuse = async (): Promise<never> => {
    throw new Error("describing the API uses no database");
  };
  return {
    rows: refuse,
    transaction: refuse,
    shortTransaction: refuse,
    wholeTransaction: refuse,
    listen: () => ({ close: async () => {} }),
    close: async () => {},
  };
}
