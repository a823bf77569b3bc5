import { creditDeposit } from "../../deposits/credit-deposit.ts";
import { receiveDeposit } from "../../deposits/receive-deposit.ts";
import { rejectDeposit } from "../../deposits/reject-deposit.ts";
import { startJob } from "../../jobs/start-job.ts";
import { Problem } from "../../lib/problem.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { type ActionResult, redirect } from "../../web/pages/define-page.ts";
import { here } from "../../web/pages/here.ts";
import { moneyText } from "../../web/parts/money.ts";
import { jobPath } from "../jobs/job-rights.ts";
import { fileOf } from "../products/import-page.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace, provedBy } from "../session.ts";
import { loadDeposit, loadDeposits } from "./load-deposits.ts";
import { receiveForm, rejectForm, renderDeposit } from "./render-deposit.ts";
import { renderDeposits } from "./render-deposits.ts";
import { importForm, renderImport } from "./render-import.ts";

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
  // A refused decision comes back at its own address, which a browser may open again.
  for (const path of ["", "/receive", "/credit", "/reject"])
    face.page({
      path: `${PATH}/:id${path}`,
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
  face.action({
    path: `${PATH}/:id/receive`,
    permission: "deposits.manage",
    form: receiveForm,
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
    run: async ({ reason }, ctx) => {
      await rejectDeposit(deps, idOf(ctx), reason, provedBy(ctx));
      return done(ctx, "The deposit was rejected. The reseller reads the reason.");
    },
    again,
  });
}
