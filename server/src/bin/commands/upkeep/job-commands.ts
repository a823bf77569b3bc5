import type { Command } from "commander";
import type { By } from "../../../activity/record-activity.ts";
import { cancelJob } from "../../../jobs/change-job.ts";
import { readResult } from "../../../jobs/job-files.ts";
import { downloadResult, getJob, type Job, type JobDetails, listJobs } from "../../../jobs/list-jobs.ts";
import { fields } from "../../output/fields.ts";
import { showTime } from "../../output/format.ts";
import { type Cell, table } from "../../output/table.ts";
import { verb } from "../../verb.ts";
import { followJob } from "./follow-job.ts";
import { startCommands } from "./job-start-commands.ts";

const BY = { actor: { kind: "command", id: "scrip" } } as const satisfies By;

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
      toDetails(options.follow === true ? await followJob(context.db, id) : await getJob(context.db, id)),
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
  startCommands(job);
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
