import { type Command, Option } from "commander";
import pino from "pino";
import { fillDemo, isEmpty } from "../admin/fill-demo.ts";
import { readConfig } from "../config.ts";
import { createLog, type Log } from "../lib/log.ts";
import { listResellerRows } from "../resellers/queries.ts";
import { describeDemo } from "./demo-command.ts";
import { type Context, openContext } from "./open-context.ts";
import type { Role, Server } from "./serve.ts";
import { print } from "./verb.ts";

const SERVER_POOL_SIZE = 16;
const STATEMENT_TIMEOUT_MS = 15_000;
/** Past this the process ends whatever still runs. */
const STOP_TIMEOUT_MS = 40_000;

export function startCommand(program: Command): void {
  program
    .command("start")
    .description(
      "bring the database up to date, then serve; starts an embedded PostgreSQL unless DATABASE_URL is set",
    )
    .addOption(
      new Option("--role <role>", "what this process does").choices(["all", "api", "worker"]).default("all"),
    )
    .option(
      "--demo",
      "fill an empty database with a demo catalog, resellers, keys and stock (never in production)",
    )
    .action(async (options: { role: Role; demo?: boolean }) => start(options.role, options.demo === true));
}

async function start(role: Role, demo: boolean): Promise<void> {
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
    // Logged once it serves: a start that fails says why in one line, and nothing beside it.
    warn: (message) => void warnings.push(message),
    onConnectionLost: (err) => log.warn({ err }, "a database connection was lost"),
  });
  let server: Server | undefined;
  try {
    const filled =
      demo && !config.production && (await isEmpty(context.db)) ? await fillDemo(context) : undefined;
    // Loaded here, because the other commands need nothing of it and should not wait for it.
    const { serve } = await import("./serve.ts");
    server = await serve(context, log, role);
    const wayIn = demo && !filled ? await describeWayIn(context) : "";
    const headline = `Scrip is ready at ${server.address}`;
    print(filled ? describeDemo(filled, { headline, address: server.address }) : headline + wayIn);
    for (const warning of warnings) log.warn(warning);
    if (config.databaseUrl && process.getuid?.() === 0)
      log.warn("running as root, which Scrip does not need; start it as a user of its own");
    log.info({ role, address: server.address }, "ready");
    const signal = await stopAsked;
    log.info({ signal }, "stopping");
  } finally {
    await stop(server, context, log);
  }
}

/** The demo's keys were shown once, at its first start. */
async function describeWayIn({ db }: Context): Promise<string> {
  const [reseller] = await listResellerRows(db);
  if (!reseller) return "";
  return `

  The keys of the demo were shown at its first start. Create another one, for example for ${reseller.name}:

    npx scrip key create --reseller ${reseller.id} --env test
`;
}

async function stop(server: Server | undefined, context: Context, log: Log): Promise<void> {
  const overdue = setTimeout(() => {
    log.fatal("did not stop in time");
    process.exit(1);
  }, STOP_TIMEOUT_MS).unref();
  await server?.stop();
  await context.close();
  clearTimeout(overdue);
}

/** Ctrl-C comes twice, from the terminal and from npm, which forwards it; that is still one. */
const REPEATED_WITHIN_MS = 1_500;

/** Ctrl-C, or a TERM from whoever runs us. A Ctrl-C later on does not wait. */
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
