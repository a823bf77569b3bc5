import { type Command, Option } from "commander";
import pino from "pino";
import { DEMO_SEED, type FilledDemo, fillDemo, isEmpty } from "../admin/fill-demo.ts";
import { PROCESSES_MAX, readConfig } from "../config.ts";
import { createLog, type Log } from "../lib/log.ts";
import { listResellerRows } from "../resellers/queries.ts";
import { describeDemo } from "./demo-command.ts";
import { describeEntry, openConsoleEntry, openDashboardEntry } from "./demo-entry.ts";
import { type ProcessPlan, planProcesses, thisMachine } from "./machine/plan-processes.ts";
import { type Context, openContext } from "./open-context.ts";
import type { Role, Server } from "./serve.ts";
import { SERVER_POOL_SIZE, STATEMENT_TIMEOUT_MS } from "./server-limits.ts";
import { print, UsageError } from "./verb.ts";
import { whenAskedToStop } from "./when-asked-to-stop.ts";

/** A supervisor only prepares the database and the demo. */
const SUPERVISOR_POOL_SIZE = 2;
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
      "--processes <n>",
      "how many processes serve; default: PROCESSES, or one less than there are cores",
    )
    .option(
      "--demo",
      "fill an empty database with a demo catalog, resellers, keys and stock (never in production)",
    )
    .option("--no-history", "with --demo: without three weeks of sample orders")
    .action(async (options: StartOptions & { demo?: boolean; processes?: string }) =>
      start({ ...options, demo: options.demo === true, processes: readCount(options.processes) }),
    );
}

type StartOptions = { role: Role; demo: boolean; history: boolean; processes: number | undefined };

function readCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!/^\d{1,3}$/.test(text) || count < 1 || count > PROCESSES_MAX)
    throw new UsageError(`--processes must be a whole number from 1 to ${PROCESSES_MAX}, not "${text}"`);
  return count;
}

async function start({ role, demo, history, processes }: StartOptions): Promise<void> {
  const stopAsked = whenAskedToStop();
  const config = readConfig(process.env);
  const plan = planProcesses(role, processes ?? config.processes, thisMachine());
  const output = pino.destination({ dest: process.stderr.fd, sync: false });
  const log = createLog(config.logLevel, output);
  const warnings: string[] = [];
  const context = await openContext(config, {
    mayCreate: true,
    applicationName: `scrip ${role}`,
    poolSize: plan === "one" ? SERVER_POOL_SIZE : SUPERVISOR_POOL_SIZE,
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
    server = await run(plan, context, log, output, role);
    print(await describeStart(context, server, filled, { demo, role }));
    for (const warning of warnings) log.warn(warning);
    if (config.databaseUrl && process.getuid?.() === 0)
      log.warn("running as root, which Scrip does not need; run it as a dedicated user");
    log.info({ role, address: server.address, ...(plan === "one" ? {} : { processes: plan }) }, "ready");
    const signal = await stopAsked;
    log.info({ signal }, "stopping");
  } finally {
    await stop(server, context, log);
  }
}

/** Both are loaded here, because other commands do not need them and must not wait for them. */
async function run(
  plan: ProcessPlan,
  context: Context,
  log: Log,
  output: { write(text: string): unknown },
  role: Role,
): Promise<Server> {
  if (plan === "one") return (await import("./serve.ts")).serve(context, log, role);
  return (await import("./machine/run-machine.ts")).runMachine({ context, log, plan, output });
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
