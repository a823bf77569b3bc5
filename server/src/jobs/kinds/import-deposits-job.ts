import { type AppliedDeposit, applyMatches, previewStatement } from "../../deposits/bank/import-statement.ts";
import { isMatched, type Match } from "../../deposits/bank/propose-matches.ts";
import { moneyText } from "../../web/parts/money.ts";
import { type JobDeps, JobFailed, type JobKind, type RunningJob } from "../job-kind.ts";
import { collectFaults } from "./collect-faults.ts";
import { optionalText } from "./read-params.ts";

const ROWS_SHOWN_MAX = 200;

/** A row of the preview, for people. */
export type ShownMatch = {
  row: number;
  result: string;
  detail: string;
  amount: string;
  depositId: string;
  reference: string;
};

/**
 * First the proposed matches of a bank statement, which change nothing; once a person has confirmed them, one transaction for each
 * deposit. A worker that takes over goes on where the lines say: those that were counted are not counted again.
 */
export const importDepositsJob: JobKind = {
  title: "Import of a bank statement",
  resultFile: "refused-rows.csv",
  async run(deps, job) {
    const matches = await previewStatement(deps.db, job.input()).catch((error: unknown) => {
      if (!(error instanceof RangeError)) throw error;
      throw new JobFailed(`${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`);
    });
    job.advance(0, matches.length);
    const faults = collectFaults();
    for (const { row, result, detail } of matches)
      if (result === "bad_row") faults.add({ line: row, reason: detail });
    if (job.params.preview === true) {
      const shown = { ...summaryOf(matches), ...faults.result() };
      await deps.db.transaction((tx) => job.askToConfirm(tx, shown, faults.part()));
      return;
    }
    await apply(deps, job, matches, faults);
  },
};

async function apply(
  deps: JobDeps,
  job: RunningJob,
  matches: readonly Match[],
  faults: ReturnType<typeof collectFaults>,
): Promise<void> {
  const by = { actor: job.actor };
  const applied = await applyMatches(deps, matches, readRows(job), by, (done) =>
    job.advance(done, matches.length),
  );
  if (applied.some(({ outcome }) => outcome === "credited")) deps.announceDeliveries();
  const count = (outcome: AppliedDeposit["outcome"]) =>
    applied.filter((one) => one.outcome === outcome).length;
  await deps.db.transaction((tx) =>
    job.succeed(
      tx,
      {
        ...summaryOf(matches),
        credited: count("credited"),
        proposed: count("proposed"),
        received: count("received"),
        refused: count("refused"),
        deposits: applied.slice(0, ROWS_SHOWN_MAX),
        ...faults.result(),
      },
      faults.part(),
    ),
  );
}

/** Rows that look doubled, and that the person says are not. */
const readRows = ({ params }: RunningJob): Set<number> =>
  new Set(
    (optionalText(params, "rows") ?? "")
      .split(/[\s,]+/)
      .filter((part) => part !== "")
      .map(Number),
  );

const summaryOf = (matches: readonly Match[]) => ({
  counts: Object.fromEntries(
    [...Map.groupBy(matches, ({ result }) => result)].map(([result, rows]) => [result, rows.length]),
  ),
  matches: matches
    .filter(({ result }) => result !== "skipped" && result !== "bad_row")
    .toSorted((one, other) => Number(isMatched(other.result)) - Number(isMatched(one.result)))
    .slice(0, ROWS_SHOWN_MAX)
    .map(
      ({ row, result, detail, line, deposit }): ShownMatch => ({
        ...{ row, result, detail },
        amount: line ? moneyText(line.amountMinor, line.currency) : "",
        depositId: deposit?.id ?? "",
        reference: deposit?.reference ?? "",
      }),
    ),
});
