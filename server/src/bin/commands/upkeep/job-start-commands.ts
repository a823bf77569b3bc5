import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import type { By } from "../../../activity/record-activity.ts";
import type { JobParams } from "../../../jobs/job-kind.ts";
import type { JobKindName } from "../../../jobs/kinds.ts";
import { type NewJob, startJob } from "../../../jobs/start-job.ts";
import { findEndpointTenant } from "../../../webhooks/endpoints/endpoint-queries.ts";
import type { Context } from "../../open-context.ts";
import { type Options, required, text, UsageError, verb } from "../../verb.ts";
import { followJob } from "./follow-job.ts";

const BY = { actor: { kind: "command", id: "scrip" } } as const satisfies By;
/** As the console takes it. */
const IMPORT_MAX_BYTES = 64 * 1_024 * 1_024;

type Started = { id: string; state?: string; error?: string; result?: Readonly<Record<string, unknown>> };

/** Long work that a worker does, so that it goes on when this command, or the worker, dies. */
export function startCommands(job: Command): void {
  starts(
    job
      .command("audit")
      .description("start a job that proves the invariants, as scrip audit does; a worker runs it")
      .option("--full", "check everything, and not only what can have changed since the last clean run"),
    async (_context, options) => ({ kind: "audit", params: options.full === true ? { full: true } : {} }),
  );
  starts(
    job
      .command("rotate")
      .description("start a job that wraps everything under the newest master key; a worker runs it"),
    async () => ({ kind: "rotate_vault", params: {} }),
  );
  importCommand(job);
  exportCommand(job);
  recoverCommand(job);
}

/** A verb that starts a job, and with --follow shows a progress bar until the job has ended. */
function starts(
  command: Command,
  read: (context: Context, options: Options, args: readonly string[]) => Promise<NewJob>,
): void {
  verb(
    command.option("--follow", "wait until the job has ended, with a progress bar"),
    async (context, options, args): Promise<Started> => {
      const id = await startJob(context, await read(context, options, args), BY);
      if (options.follow !== true) return { id };
      const { state, error, result } = await followJob(context.db, id);
      if (state === "failed" || result?.ok === false) process.exitCode = 1;
      return {
        ...{ id, state },
        ...(error === null ? {} : { error }),
        ...(result === null ? {} : { result }),
      };
    },
    ({ id, state, error, result }) =>
      state === undefined
        ? `started ${id}; follow it: scrip job show ${id} --follow`
        : `${id} ${state}${error === undefined ? "" : `: ${error}`}${result === undefined ? "" : ` ${JSON.stringify(result)}`}`,
  );
}

const IMPORTS: Readonly<Record<string, JobKindName>> = {
  products: "import_catalog",
  prices: "import_prices",
  stock: "import_stock",
};

function importCommand(job: Command): void {
  starts(
    job
      .command("import")
      .description("start a job that imports products, prices or stock from a file; a worker runs it")
      .argument("<what>", "products, prices or stock")
      .argument("<file>", "the file, which is sealed until the job has ended")
      .option("--product <id>", "of stock: the product whose codes the file holds")
      .option("--supplier <id>", "of stock: the supplier whose stock it is")
      .option("--cost <amount>", "of stock: what one code cost")
      .option("--currency <code>", "of stock: the currency of --cost"),
    async (_context, options, [what = "", file = ""]) => {
      const kind = Object.hasOwn(IMPORTS, what) ? IMPORTS[what] : undefined;
      if (!kind) throw new UsageError(`an import is of products, prices or stock, not "${what}"`);
      const given = {
        supplierId: text(options, "supplier"),
        cost: text(options, "cost"),
        currency: text(options, "currency"),
      };
      const params =
        kind === "import_stock" ? { productId: required(options, "product"), ...withoutAbsent(given) } : {};
      return { kind, params, input: await readInput(file) };
    },
  );
}

async function readInput(file: string): Promise<Buffer> {
  const input = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? "file not found" : error.message;
    throw new Error(`cannot read ${file}: ${reason}`, { cause: error });
  });
  if (input.length > IMPORT_MAX_BYTES)
    throw new RangeError(`${file} is longer than ${IMPORT_MAX_BYTES} bytes; split it`);
  return input;
}

function exportCommand(job: Command): void {
  starts(
    job
      .command("export")
      .description("start a job that writes the orders of a filter to a CSV file; a worker runs it")
      .option("--env <env>", "live or test")
      .option("--status <status>", "only orders with this status")
      .option("--reseller <id>", "only this reseller's orders")
      .option("--product <id>", "only orders of this product"),
    async (_context, options) => ({ kind: "export_orders", params: readExport(options) }),
  );
}

function readExport(options: Options): JobParams {
  const env = text(options, "env");
  if (env !== undefined && env !== "live" && env !== "test")
    throw new UsageError(`--env must be live or test, not "${env}"`);
  return withoutAbsent({
    environment: env,
    status: text(options, "status"),
    resellerId: text(options, "reseller"),
    productId: text(options, "product"),
  });
}

const withoutAbsent = (given: Readonly<Record<string, string | undefined>>): JobParams =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as JobParams;

function recoverCommand(job: Command): void {
  starts(
    job
      .command("recover")
      .description("start a job that sends all events that an endpoint missed; a worker runs it")
      .requiredOption("--endpoint <id>", "the webhook endpoint")
      .requiredOption("--since <time>", "such as 2030-01-31T12:00:00Z, at most 30 days ago")
      .option("--until <time>", "until now unless given"),
    async ({ db }, options) => {
      const endpointId = required(options, "endpoint");
      const tenant = await findEndpointTenant(db, endpointId);
      if (!tenant) throw new RangeError(`there is no webhook endpoint ${endpointId}`);
      const until = text(options, "until");
      const params = { ...tenant, endpointId, since: required(options, "since"), until: until ?? null };
      return { kind: "recover_events", params };
    },
  );
}
