import type { Queryable } from "../db/database.ts";
import type { Download } from "../web/pages/define-page.ts";
import { isEnded, JobRefused } from "./change-job.ts";
import { readResult } from "./job-files.ts";
import { findJobKind } from "./kinds.ts";
import { measureParts } from "./part-queries.ts";
import { findJob, type JobFilter, type JobRow, listJobRows } from "./queries.ts";

export type Job = JobRow & { title: string; isEnded: boolean };
export type JobDetails = Job & {
  /** The file of its result, while it is kept. */
  file: { name: string; bytes: number } | undefined;
};

const PAGE_JOBS = 50;

/** Jobs, newest first. */
export async function listJobs(
  db: Queryable,
  filter: Partial<JobFilter> = {},
): Promise<{ data: Job[]; nextBeforeId: string | undefined }> {
  const limit = filter.limit ?? PAGE_JOBS;
  const rows = await listJobRows(db, {
    kinds: filter.kinds,
    productId: filter.productId,
    beforeId: filter.beforeId,
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  return { data: page.map(toJob), nextBeforeId: rows.length > limit ? page.at(-1)?.id : undefined };
}

export async function getJob(db: Queryable, id: string): Promise<JobDetails> {
  const row = await findJob(db, id);
  if (!row) throw new JobRefused(`there is no job ${id}; see: scrip job list`);
  const isWhole = isEnded(row.state) || row.state === "ready";
  const { parts, bytes } = isWhole ? await measureParts(db, id, "result") : { parts: 0, bytes: 0 };
  const name = `${findJobKind(row.kind)?.resultFile ?? "result.csv"}`;
  return { ...toJob(row), file: parts > 0 ? { name, bytes } : undefined };
}

/** The file of a job's result, which is sent while it is read. */
export async function downloadResult(db: Queryable, id: string): Promise<Download> {
  const { file } = await getJob(db, id);
  if (!file) throw new JobRefused("this job has no file, or its file was removed after 7 days");
  return { type: "text/csv; charset=utf-8", filename: `${id}-${file.name}`, body: readResult(db, id) };
}

const toJob = (row: JobRow): Job => ({
  ...row,
  title: findJobKind(row.kind)?.title ?? row.kind,
  isEnded: isEnded(row.state),
});
