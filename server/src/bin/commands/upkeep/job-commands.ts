import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import type { By } from "../../../activity/record-activity.ts";
import { cancelJob } from "../../../jobs/change-job.ts";
import { readResult } from "../../../jobs/job-files.ts";
import type { JobParams } from "../../../jobs/job-kind.ts";
import { downloadResult, getJob, type Job, type JobDetails, listJobs } from "../../../jobs/list-jobs.ts";
import { startJob } from "../../../jobs/start-job.ts";
import { findEndpointTenant } from "../../../webhooks/endpoints/endpoint-queries.ts";
import type { Context } from "../../open-context.ts";
import { fields } from "../../output/fields.ts";
import { showTime } from "../../output/format.ts";
import { startProgress } from "../../output/progress.ts";
import { type Cell, table } from "../../output/table.ts";
import { type Options, required, text, UsageError, verb } from "../../verb.ts";

const BY = { actor: { kind: "command", id: "scrip" } } as const satisfies By;
const LOOK_EVERY_MS = 300;

export function jobCommands(program: Command): void {
  const job = program.command("job").description("long work in the background");
  verb(
    job.command("list").description("jobs of the last 90 days, newest first"),
    async ({ db }) => ({ data: (await listJobs(db)).data.map(toView) }),
    ({ data }) =>
      data.length === 0 ? "No jobs. The console starts them, and: scrip job export" : showJobs(data),
  );
  verb(
    job
      .command("show")
      .description("how far a job is")
      .argument("<id>")
      .option("--follow", "wait until the job has ended, with a progress bar"),
    async (context, options, [id = ""]) =>
      toDetails(options.follow === true ? await follow(context, id) : await getJob(context.db, id)),
    (view) => fields(Object.entries(view).map(([name, value]) => [name, String(value)])),
  );
  verb(
    job
      .command("cancel")
      .description("end a job; an import that has not ended changes nothing")
      .argument("<id>"),
    async (context, _options, [id = ""]) => {
      await cancelJob(context, id, BY);
      return toDetails(await getJob(context.db, id));
    },
    ({ id, state }) => (state === "running" ? `${id} ends at its next step` : `${id} is ${state}`),
  );
  resultCommand(job);
  exportCommand(job);
  recoverCommand(job);
}

function resultCommand(job: Command): void {
  verb(
    job
      .command("result")
      .description("print the file of a job's result, for 7 days after its end")
      .argument("<id>"),
    async ({ db }, _options, [id = ""]) => {
      await downloadResult(db, id);
      for await (const part of readResult(db, id)) process.stdout.write(part);
      return undefined;
    },
    () => undefined,
  );
}

function exportCommand(job: Command): void {
  verb(
    job
      .command("export")
      .description("start a job that writes the orders of a filter to a CSV file; a worker runs it")
      .option("--env <env>", "live or test")
      .option("--status <status>", "only orders with this status")
      .option("--reseller <id>", "only this reseller's orders")
      .option("--product <id>", "only orders of this product"),
    async (context, options) => ({
      id: await startJob(context, { kind: "export_orders", params: readParams(options) }, BY),
    }),
    ({ id }) => `started ${id}; follow it: scrip job show ${id} --follow`,
  );
}

function recoverCommand(job: Command): void {
  verb(
    job
      .command("recover")
      .description("start a job that sends all events that an endpoint missed; a worker runs it")
      .requiredOption("--endpoint <id>", "the webhook endpoint")
      .requiredOption("--since <time>", "such as 2030-01-31T12:00:00Z, at most 30 days ago")
      .option("--until <time>", "until now unless given"),
    async (context, options) => {
      const endpointId = required(options, "endpoint");
      const tenant = await findEndpointTenant(context.db, endpointId);
      if (!tenant) throw new RangeError(`there is no webhook endpoint ${endpointId}`);
      const until = text(options, "until");
      const params = { ...tenant, endpointId, since: required(options, "since"), until: until ?? null };
      return { id: await startJob(context, { kind: "recover_events", params }, BY) };
    },
    ({ id }) => `started ${id}; follow it: scrip job show ${id} --follow`,
  );
}

function readParams(options: Options): JobParams {
  const env = text(options, "env");
  if (env !== undefined && env !== "live" && env !== "test")
    throw new UsageError(`--env must be live or test, not "${env}"`);
  const given = {
    environment: env,
    status: text(options, "status"),
    resellerId: text(options, "reseller"),
    productId: text(options, "product"),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as JobParams;
}

/** Looks until the job has ended, or waits for a person. */
async function follow({ db }: Context, id: string): Promise<JobDetails> {
  const progress = startProgress("done");
  try {
    for (;;) {
      const job = await getJob(db, id);
      if (job.isEnded || job.state === "ready") return job;
      const total = Number(job.total ?? 0n);
      progress.advance(Number(job.done), total > 0 ? Number(job.done) / total : undefined);
      await wait(LOOK_EVERY_MS);
    }
  } finally {
    progress.end();
  }
}

type JobView = ReturnType<typeof toView>;

const toView = (job: Job) => ({
  id: job.id,
  kind: job.kind,
  state: job.state,
  done: Number(job.done),
  ...(job.total === null ? {} : { total: Number(job.total) }),
  startedBy: `${job.actorKind} ${job.actorId}`,
  createdAt: job.createdAt.toISOString(),
  ...(job.endedAt ? { endedAt: job.endedAt.toISOString() } : {}),
  ...(job.error === null ? {} : { error: job.error }),
});

const toDetails = (job: JobDetails) => ({
  ...toView(job),
  ...(job.result === null ? {} : { result: JSON.stringify(job.result) }),
  ...(job.file ? { file: `${job.file.name} (${job.file.bytes} bytes): scrip job result ${job.id}` } : {}),
});

const STYLES = { succeeded: "green", failed: "red", ready: "yellow" } as const;

const stateCell = (state: string): Cell =>
  Object.hasOwn(STYLES, state) ? { text: state, style: STYLES[state as keyof typeof STYLES] } : state;

const showJobs = (data: readonly JobView[]): string =>
  table(
    [
      "ID",
      "KIND",
      "STATE",
      { heading: "DONE", right: true },
      "CREATED (UTC)",
      { heading: "ERROR", cut: true, optional: true },
    ],
    data.map((row) => [
      row.id,
      row.kind,
      stateCell(row.state),
      row.total === undefined ? String(row.done) : `${row.done}/${row.total}`,
      showTime(row.createdAt),
      row.error ?? "",
    ]),
  );
