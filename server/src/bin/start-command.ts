import { type Command, Option } from "commander";
import pino from "pino";
import { DEMO_SEED, type FilledDemo, fillDemo, isEmpty } from "../admin/fill-demo.ts";
import { readConfig } from "../config.ts";
import { createLog, type Log } from "../lib/log.ts";
import { listResellerRows } from "../resellers/queries.ts";
import { describeDemo } from "./demo-command.ts";
import { describeEntry, openConsoleEntry, openDashboardEntry } from "./demo-entry.ts";
import { type Context, openContext } from "./open-context.ts";
import type { Role, Server } from "./serve.ts";
import { print } from "./verb.ts";

const SERVER_POOL_SIZE = 16;
const STATEMENT_TIMEOUT_MS = 15_000;
/** After this time the process ends, even if something still runs. */
const STOP_TIMEOUT_MS = 40_000;

export function startCommand(program: Command): void {
  program
    .command("start")
    .description("migrate the database, then serve; starts an embedded PostgreSQL unless DATABASE_URL is set")
    .addOption(
      new Option("--role <role>", "what this process does").choices(["all", "api", "worker"]).default("all"),
    )
    .option(
      "--demo",
      "fill an empty database with a demo catalog, resellers, keys and stock (never in production)",
    )
    .option("--no-history", "with --demo: without three weeks of sample orders")
    .action(async (options: StartOptions & { demo?: boolean }) =>
      start({ ...options, demo: options.demo === true }),
    );
}

type StartOptions = { role: Role; demo: boolean; history: boolean };

async function start({ role, demo, history }: StartOptions): Promise<void> {
  const stopAsked = whenAskedToStop();
  const config = readConfig(process.env);
  const log = createLog(config.logLevel, pino.destination({ dest: process.stderr.fd, sync: false }));
  const warnings: string[] = [];
  const context = await openContext(config, {
    mayCreate: true,
    applicationName: `scrip ${role}`,
    poolSize: SERVER_POOL_SIZE,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    tell: (message) => log.info(message),
    // Logged once the server runs: a failed start prints one line and nothing else.
    warn: (message) => void warnings.push(message),
    onConnectionLost: (err) => log.warn({ err }, "database connection lost"),
  });
  let server: Server | undefined;
  try {
    const filled =
      demo && !config.production && (await isEmpty(context.db))
        ? await fillDemo(context, history ? historyOf(context) : undefined)
        : undefined;
    // Loaded here, because other commands do not need it and must not wait for it.
    const { serve } = await import("./serve.ts");
    server = await serve(context, log, role);
    print(await describeStart(context, server, filled, { demo, role }));
    for (const warning of warnings) log.warn(warning);
    if (config.databaseUrl && process.getuid?.() === 0)
      log.warn("running as root, which Scrip does not need; run it as a dedicated user");
    log.info({ role, address: server.address }, "ready");
    const signal = await stopAsked;
    log.info({ signal }, "stopping");
  } finally {
    await stop(server, context, log);
  }
}

const historyOf = ({ config, keyring }: Context) => ({
  seed: DEMO_SEED,
  keyring,
  baseUrl: config.publicUrl ?? `http://localhost:${config.port}`,
});

/** The address; for the demo also its keys, once, and a new link into each face. */
async function describeStart(
  context: Context,
  { address, consoleAddress }: Server,
  filled: FilledDemo | undefined,
  { demo, role }: { demo: boolean; role: Role },
): Promise<string> {
  const headline = `Scrip is ready at ${address}`;
  if (!demo) return headline;
  const shown = filled
    ? describeDemo(filled, { headline, address })
    : headline + (await describeWayIn(context));
  if (context.config.production || role === "worker") return shown;
  const entries = [
    await openDashboardEntry(context, address),
    consoleAddress === undefined ? undefined : await openConsoleEntry(context),
  ].filter((entry) => entry !== undefined);
  return [shown.trimEnd(), ...entries.map(describeEntry)].join("\n");
}

/** The demo keys were shown once, at the first start. */
async function describeWayIn({ db }: Context): Promise<string> {
  const [reseller] = await listResellerRows(db);
  if (!reseller) return "";
  return `

  The demo keys were shown at the first start. To create another key, for example for ${reseller.name}:

    npx scrip key create --reseller ${reseller.id} --env test
`;
}

async function stop(server: Server | undefined, context: Context, log: Log): Promise<void> {
  const overdue = setTimeout(() => {
    log.fatal("shutdown timed out");
    process.exit(1);
  }, STOP_TIMEOUT_MS).unref();
  await server?.stop();
  await context.close();
  clearTimeout(overdue);
}

/** One Ctrl-C can arrive twice: from the terminal, and from npm, which forwards it. */
const REPEATED_WITHIN_MS = 1_500;

/** Resolves on Ctrl-C or SIGTERM. A second Ctrl-C later ends the process at once. */
function whenAskedToStop(): Promise<string> {
  return new Promise((resolve) => {
    let askedAtMs: number | undefined;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        const nowMs = performance.now();
        if (askedAtMs !== undefined && signal === "SIGINT" && nowMs - askedAtMs > REPEATED_WITHIN_MS)
          process.exit(130);
        askedAtMs ??= nowMs;
        resolve(signal);
      });
    }
  });
}
