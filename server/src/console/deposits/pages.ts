import { rehearse } from "../../db/rehearse.ts";
import { creditDeposit } from "../../deposits/credit-deposit.ts";
import { receiveDeposit } from "../../deposits/receive-deposit.ts";
import { rejectDeposit } from "../../deposits/reject-deposit.ts";
import { startJob } from "../../jobs/start-job.ts";
import { formatAmount } from "../../lib/money.ts";
import { Problem } from "../../lib/problem.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { type ActionResult, redirect } from "../../web/pages/define-page.ts";
import { here } from "../../web/pages/here.ts";
import { moneyText } from "../../web/parts/money.ts";
import { templatePage } from "../jobs/import-columns.ts";
import { jobPath } from "../jobs/job-rights.ts";
import { fileOf } from "../products/import-page.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace, provedBy } from "../session.ts";
import { type DepositData, loadDeposit, loadDeposits } from "./load-deposits.ts";
import { receiveForm, rejectForm, renderDeposit } from "./render-deposit.ts";
import { renderDeposits } from "./render-deposits.ts";
import { importForm, renderImport, STATEMENT_FILE } from "./render-import.ts";

const PATH = "/deposits";
const idOf = (ctx: ConsoleContext): string => ctx.params.id ?? "";

/** Money that resellers send: to receive, to credit, to reject, and to match with a bank statement. */
export function depositPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: PATH,
    permission: "wallets.read",
    load: (ctx) => loadDeposits(deps, ctx),
    render: renderDeposits,
  });
  importPages(face, deps);
  face.page({
    path: `${PATH}/:id`,
    permission: "wallets.read",
    load: (ctx) => loadDeposit(deps, ctx),
    render: (data, ctx) => renderDeposit(data, ctx),
  });
  decisions(face, deps);
}

function importPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: `${PATH}/import`,
    permission: "deposits.manage",
    load: async () => importForm.start(),
    render: (state, ctx) => renderImport(state, ctx),
  });
  templatePage(face, { path: `${PATH}/import`, permission: "deposits.manage", columns: STATEMENT_FILE });
  face.action({
    path: `${PATH}/import`,
    permission: "deposits.manage",
    form: importForm,
    takesFiles: true,
    run: async ({ rows }, ctx) => {
      const input = fileOf(ctx);
      const params = { preview: true, rows: readRows(rows) };
      const id = await startJob(deps, { kind: "import_deposits", params, input }, byOf(ctx));
      return redirect(jobPath(id), "The statement is being read. Nothing has changed yet.");
    },
    again: async (state, ctx) => renderImport(state, ctx),
  });
}

function readRows(text: string): string | null {
  const rows = text.split(/[\s,]+/).filter((part) => part !== "");
  if (rows.every((row) => /^\d{1,6}$/.test(row))) return rows.join(",") || null;
  const detail = "Write row numbers, such as 14, 15.";
  throw new Problem("invalid_request", detail, { errors: [{ pointer: "/rows", code: "invalid", detail }] });
}

function decisions(face: ConsoleFace, deps: ConsoleDeps): void {
  const again = async (state: FormState, ctx: ConsoleContext) =>
    renderDeposit(await loadDeposit(deps, ctx), ctx, state);
  const done = (ctx: ConsoleContext, said: string): ActionResult =>
    redirect(here(ctx, `${PATH}/${idOf(ctx)}`), said);
  /** What a decision does, if the verb would not refuse it now. */
  const foresee = async (
    ctx: ConsoleContext,
    say: (data: DepositData) => string,
    decide: (trial: ConsoleDeps) => Promise<unknown>,
  ): Promise<string> => {
    const data = await loadDeposit(deps, ctx);
    await rehearse(deps, decide);
    return `${say(data)} The deposit is of ${data.reseller.name}, with the reference ${data.deposit.reference}.`;
  };
  face.action({
    path: `${PATH}/:id/receive`,
    permission: "deposits.manage",
    form: receiveForm,
    does: ({ amount }, ctx) =>
      foresee(
        ctx,
        ({ deposit }) =>
          `Record that ${amount ?? formatAmount(deposit.amountMinor, deposit.currency)} ${deposit.currency} has arrived.`,
        (trial) => receiveDeposit(trial, idOf(ctx), amount, byOf(ctx)),
      ),
    run: async ({ amount }, ctx) => {
      const { receivedMinor, currency } = await receiveDeposit(deps, idOf(ctx), amount, provedBy(ctx));
      return done(ctx, `Received ${moneyText(receivedMinor ?? 0n, currency)}. Nothing is credited yet.`);
    },
    again,
  });
  face.action({
    path: `${PATH}/:id/credit`,
    permission: "deposits.manage",
    form: defineForm({}),
    does: (_values, ctx) =>
      foresee(
        ctx,
        ({ deposit, takesTwo }) =>
          `${takesTwo ? "Propose to credit" : "Credit"} ${moneyText(deposit.receivedMinor ?? 0n, deposit.currency)}.`,
        (trial) => creditDeposit(trial, idOf(ctx), byOf(ctx)),
      ),
    run: async (_values, ctx) => {
      const result = await creditDeposit(deps, idOf(ctx), provedBy(ctx));
      if ("proposed" in result)
        return redirect(
          here(ctx, `/money/proposals/${result.proposed.id}`),
          "This amount takes two people. Another person has to approve it.",
        );
      deps.announceDeliveries();
      const { receivedMinor, currency } = result.credited;
      return done(ctx, `${moneyText(receivedMinor ?? 0n, currency)} credited.`);
    },
    again,
  });
  face.action({
    path: `${PATH}/:id/reject`,
    permission: "deposits.manage",
    form: rejectForm,
    does: ({ reason }, ctx) =>
      foresee(
        ctx,
        () => "Reject the deposit. The reseller reads the reason.",
        (trial) => rejectDeposit(trial, idOf(ctx), reason, byOf(ctx)),
      ),
    run: async ({ reason }, ctx) => {
      await rejectDeposit(deps, idOf(ctx), reason, provedBy(ctx));
      return done(ctx, "The deposit was rejected. The reseller reads the reason.");
    },
    again,
  });
}
